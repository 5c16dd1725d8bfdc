package io.headgate.namespace.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecentVersionsTest {
    private final RecentVersions recent = new RecentVersions(1 << 20);
    private final RecentVersions.Name name = name("a");

    @Test
    void keeps_what_the_database_said() {
        ObjectVersion version = version("a", "");
        recent.offer(name, version, recent.stamp(name));
        assertThat(recent.find(name)).isSameAs(version);
        assertThat(recent.find(name("b"))).isNull();
    }

    @Test
    void forgets_a_version_before_the_commit_that_replaces_it() {
        recent.offer(name, version("a", ""), recent.stamp(name));
        recent.beforeCommit(List.of(name));
        assertThat(recent.find(name)).isNull();
    }

    @Test
    void does_not_keep_what_was_read_before_a_commit_of_the_same_object() {
        long stamp = recent.stamp(name);
        recent.beforeCommit(List.of(name));
        recent.afterCommit(List.of(name));
        recent.offer(name, version("a", ""), stamp);
        assertThat(recent.find(name)).isNull();
    }

    @Test
    void does_not_keep_what_was_read_while_a_commit_was_under_way() {
        recent.beforeCommit(List.of(name, name));
        recent.offer(name, version("a", ""), recent.stamp(name));
        assertThat(recent.find(name)).isNull();
        recent.afterCommit(List.of(name, name));
        recent.offer(name, version("a", ""), recent.stamp(name));
        assertThat(recent.find(name)).isNotNull();
    }

    @Test
    void forgets_everything_before_a_commit_that_moves_blobs_and_keeps_nothing_while_it_is_under_way() {
        recent.offer(name, version("a", ""), recent.stamp(name));
        RecentVersions.Name other = name("b");
        long before = recent.stamp(other);

        recent.beforeMoves();
        recent.beforeCommit(List.of(name));
        assertThat(recent.find(name)).isNull();
        recent.offer(other, version("b", ""), before);
        recent.offer(other, version("b", ""), recent.stamp(other));
        assertThat(recent.find(other)).isNull();

        recent.afterCommit(List.of(name));
        recent.afterMoves();
        recent.offer(other, version("b", ""), before);
        assertThat(recent.find(other)).isNull();
        recent.offer(other, version("b", ""), recent.stamp(other));
        recent.offer(name, version("a", ""), recent.stamp(name));
        assertThat(recent.find(other)).isNotNull();
        assertThat(recent.find(name)).isNotNull();
    }

    @Test
    void counts_what_a_client_said_of_the_object_towards_the_bound() {
        for (int i = 0; i < 2_000; i++) {
            String key = "key-" + i;
            recent.offer(name(key), version(key, "x".repeat(2_000)), recent.stamp(name(key)));
        }
        int kept = 0;
        for (int i = 0; i < 2_000; i++) {
            kept += recent.find(name("key-" + i)) == null ? 0 : 1;
        }
        // 1 MiB over somewhat more than 4,000 bytes each
        assertThat(kept).isBetween(50, 250);
    }

    private static RecentVersions.Name name(String key) {
        return new RecentVersions.Name(new BucketName("bucket"), new ObjectKey(key));
    }

    private static ObjectVersion version(String key, String metadata) {
        return new ObjectVersion(
                new ObjectKey(key),
                "00000000-0000-0000-0000-000000000001",
                Instant.EPOCH,
                0,
                new ETag("d41d8cd98f00b204e9800998ecf8427e"),
                new ObjectAttributes(Map.of(), Map.of("m", metadata), Map.of(), ObjectAttributes.STANDARD),
                List.of(),
                Manifest.EMPTY);
    }
}
