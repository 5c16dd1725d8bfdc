package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;

/** What follows from what a node answers. */
final class FailureTest {
    private static Failure answered(String message) {
        return Failure.of(new RedisCommandExecutionException(message));
    }

    @Test
    void a_redirection_names_the_node_to_ask_and_whether_for_once() {
        assertThat(answered("MOVED 3999 10.0.0.7:6381")).isEqualTo(new Failure.Elsewhere("10.0.0.7", 6381, false));
        assertThat(answered("ASK 3999 fd00::7:6381")).isEqualTo(new Failure.Elsewhere("fd00::7", 6381, true));
        assertThat(answered("MOVED 3999 redis-7.example:6381"))
                .isEqualTo(new Failure.Elsewhere("redis-7.example", 6381, false));
    }

    @Test
    void a_redirection_to_the_node_itself_is_tried_again_when_the_nodes_have_been_asked() {
        assertThat(answered("MOVED 3999 :6381")).isEqualTo(new Failure.Passing());
    }

    @Test
    void a_node_that_does_nothing_now_is_told_from_one_that_does_not_do_this() {
        assertThat(answered("LOADING Redis is loading the dataset in memory")).isEqualTo(new Failure.Unwell());
        assertThat(answered("BUSY Redis is busy running a script.")).isEqualTo(new Failure.Unwell());
        assertThat(answered("MASTERDOWN Link with MASTER is down")).isEqualTo(new Failure.Unwell());
        assertThat(answered("CLUSTERDOWN The cluster is down")).isEqualTo(new Failure.Unwell());
        assertThat(answered("CLUSTERDOWN Hash slot not served")).isEqualTo(new Failure.Passing());
        assertThat(answered("TRYAGAIN Multiple keys request during rehashing of slot"))
                .isEqualTo(new Failure.Passing());
        assertThat(answered("READONLY You can't write against a read only replica."))
                .isEqualTo(new Failure.Passing());
        assertThat(answered("NOREPLICAS Not enough good replicas to write.")).isEqualTo(new Failure.Passing());
    }

    @Test
    void asking_again_is_in_vain_if_the_answer_will_be_the_same() {
        assertThat(answered("OOM allow-oom flag is not set on the function, can not run it when used memory >"
                        + " 'maxmemory'"))
                .isEqualTo(new Failure.Full());
        assertThat(answered("MISCONF Errors writing to the AOF file")).isEqualTo(new Failure.Final());
        assertThat(answered("NOPERM this user has no permissions")).isEqualTo(new Failure.Final());
        assertThat(answered("ERR Function not found")).isEqualTo(new Failure.NoLibrary());
    }

    @Test
    void a_connection_that_breaks_is_no_answer() {
        assertThat(Failure.of(new RedisException("Connection closed"))).isEqualTo(new Failure.Silent());
    }
}
