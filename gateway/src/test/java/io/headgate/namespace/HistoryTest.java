package io.headgate.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.History.Action;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checker finds what is wrong, and nothing else. Times are written as they would be drawn: from call to return. */
final class HistoryTest {
    private final List<History.Operation> operations = new ArrayList<>();

    private HistoryTest did(long from, long to, Action action) {
        operations.add(new History.Operation("client-" + operations.size(), action, from, to));
        return this;
    }

    private void isLinearizable() {
        assertThat(new History(operations).violation()).isEmpty();
    }

    private void isNot() {
        assertThat(new History(operations).violation()).isPresent();
    }

    private static Action put(String value) {
        return new Action.Put(value);
    }

    private static Action read(String found) {
        return new Action.Read(found);
    }

    private static Action unknown(Action write) {
        return new Action.Unknown(write);
    }

    @Test
    void a_read_finds_what_was_put_last() {
        did(1, 2, put("a")).did(3, 4, put("b")).did(5, 6, read("b")).isLinearizable();
    }

    @Test
    void a_read_of_what_was_overwritten_before_it_began_is_stale() {
        did(1, 2, put("a")).did(3, 4, put("b")).did(5, 6, read("a")).isNot();
    }

    @Test
    void a_read_that_finds_nothing_after_a_put_is_stale() {
        did(1, 2, put("a")).did(3, 4, read(null)).isNot();
    }

    @Test
    void reads_during_a_put_may_find_either() {
        did(1, 9, put("a")).did(2, 3, read(null)).did(4, 5, read("a")).isLinearizable();
    }

    @Test
    void who_reads_later_does_not_find_what_is_older() {
        did(1, 2, put("a"))
                .did(3, 9, put("b"))
                .did(4, 5, read("b"))
                .did(6, 7, read("a"))
                .isNot();
    }

    @Test
    void a_write_of_unknown_outcome_may_take_effect_late_or_never() {
        did(1, 2, put("a"))
                .did(3, 0, unknown(put("b")))
                .did(4, 5, read("a"))
                .did(6, 7, read("b"))
                .isLinearizable();
        did(8, 0, unknown(put("c"))).did(9, 10, read("b")).isLinearizable();
    }

    @Test
    void a_write_of_unknown_outcome_takes_effect_only_once() {
        did(1, 0, unknown(put("b")))
                .did(2, 3, read("b"))
                .did(4, 5, put("a"))
                .did(6, 7, read("b"))
                .isNot();
    }

    @Test
    void a_write_does_not_take_effect_before_its_call() {
        did(1, 2, read("a")).did(3, 4, put("a")).isNot();
    }

    @Test
    void of_two_puts_of_what_is_not_there_one_is_done() {
        did(1, 5, new Action.PutNew("a", true))
                .did(2, 6, new Action.PutNew("b", false))
                .isLinearizable();
        did(7, 8, new Action.PutNew("c", true)).isNot();
    }

    @Test
    void a_refused_condition_tells_of_the_state() {
        did(1, 2, put("a")).did(3, 4, new Action.Replace("a", "b", false)).isNot();
    }

    @Test
    void a_condition_that_held_tells_of_the_state() {
        did(1, 2, put("a")).did(3, 4, new Action.Replace("x", "b", true)).isNot();
    }

    @Test
    void a_delete_says_whether_there_was_something() {
        did(1, 2, put("a"))
                .did(3, 4, new Action.Delete(true))
                .did(5, 6, new Action.Delete(false))
                .did(7, 8, read(null))
                .isLinearizable();
        did(9, 10, new Action.Delete(true)).isNot();
    }

    @Test
    void of_two_deletes_at_once_one_found_something() {
        did(1, 2, put("a"))
                .did(3, 6, new Action.Delete(true))
                .did(4, 7, new Action.Delete(true))
                .isNot();
    }
}
