package io.headgate.namespace;

import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every engine promises of intents, garbage and the blobs that it knows. */
public abstract class GarbageContract extends NamespaceSuite {
    @Test
    void an_intent_is_returned_as_it_was_opened() {
        Intent first = namespace.openIntent("g", NOW, NOW.plusSeconds(1), NOW.plusSeconds(2));
        Intent second = namespace.openIntent("g", NOW, NOW.plusSeconds(1), NOW.plusSeconds(2));

        assertThat(first).isEqualTo(new Intent(first.id(), "g", NOW, NOW.plusSeconds(1), NOW.plusSeconds(2)));
        assertThat(second.id()).isNotEqualTo(first.id());
    }

    @Test
    void expired_intents_are_taken_oldest_first_and_stay_taken_until_they_are_closed() {
        Intent first = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(20));
        Intent second = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(10));
        Intent alive = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(30));

        assertThat(namespace.takeExpiredIntents(NOW.plusSeconds(10), 10)).isEmpty();
        assertThat(namespace.takeExpiredIntents(NOW.plusSeconds(21), 1)).containsExactly(first);
        assertThat(namespace.takeExpiredIntents(NOW.plusSeconds(21), 10)).containsExactly(first, second);
        assertThat(namespace.takeExpiredIntents(NOW, 10)).containsExactly(first, second);

        namespace.closeIntents(List.of(first.id(), second.id()));
        assertThat(namespace.takeExpiredIntents(NOW.plusSeconds(21), 10)).isEmpty();
        assertThat(namespace.renewIntents(List.of(alive.id()), NOW.plusSeconds(31)))
                .containsExactly(alive.id());
    }

    @Test
    void renewal_moves_the_expiry_of_those_that_were_not_taken() {
        Intent taken = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(5));
        namespace.takeExpiredIntents(NOW.plusSeconds(6), 10);
        Intent standing = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(5));

        assertThat(namespace.renewIntents(List.of(taken.id(), standing.id(), 999_999L), NOW.plusSeconds(50)))
                .containsExactly(standing.id());
        assertThat(namespace.takeExpiredIntents(NOW.plusSeconds(6), 10))
                .extracting(Intent::id)
                .containsExactly(taken.id());
    }

    @Test
    void unknown_blobs_are_those_that_nothing_has_named() {
        PutObject put = make.put("a", 1).command();
        done(namespace.putObject(put));
        BlobId live = put.blob().orElseThrow().blob();
        BlobId discarded = make.blobId();
        namespace.discard(List.of(new Garbage(discarded, "disk-1", 9, NOW)));
        Upload upload = done(namespace.createUpload(make.upload("u")));
        PutPart part = make.putPart(upload, 1, 1);
        done(namespace.putPart(part));
        BlobId unknown = make.blobId();

        BlobId ofPart = part.blob().orElseThrow().blob(); // on disk-2
        assertThat(namespace.unknownBlobs("disk-1", List.of(live, unknown, discarded, ofPart)))
                .containsExactly(unknown, ofPart);
        assertThat(namespace.unknownBlobs("disk-2", List.of(live, unknown, discarded, ofPart)))
                .containsExactly(live, unknown, discarded);
        assertThat(namespace.unknownBlobs("disk-1", List.of())).isEmpty();
    }

    @Test
    void what_an_account_holds_of_a_blob_that_lives_elsewhere_is_garbage_of_that_account() {
        PutObject put = make.put("a", 3).command();
        done(namespace.putObject(put));
        BlobId blob = put.blob().orElseThrow().blob();
        Garbage stray = new Garbage(blob, "disk-2", 2, NOW);

        namespace.discard(List.of(stray));
        namespace.discard(List.of(stray));

        assertThat(namespace.unknownBlobs("disk-2", List.of(blob))).isEmpty();
        assertThat(namespace.dueGarbage("disk-2", NOW.plusMillis(1), 10)).containsExactly(stray);
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 3, 0, 0));
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(0, 0, 1, 2));
        namespace.garbageDeleted("disk-2", List.of(blob));
        assertThat(account("disk-2")).isEqualTo(AccountUsage.NONE);
        assertThat(exists("a")).isTrue();

        namespace.discard(List.of(stray));
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(0, 0, 1, 2));
    }

    @Test
    void a_discarded_blob_is_garbage_unless_it_is_known() {
        PutObject put = make.put("a", 1).command();
        done(namespace.putObject(put));
        BlobId live = put.blob().orElseThrow().blob();
        BlobId failed = make.blobId();
        Garbage first = new Garbage(failed, "disk-1", 9, NOW);

        namespace.discard(List.of(first, new Garbage(live, "disk-1", 1, NOW)));
        namespace.discard(List.of(new Garbage(failed, "disk-1", 9, NOW.plusSeconds(60))));

        assertThat(namespace.dueGarbage("disk-1", NOW.plusMillis(1), 10)).containsExactly(first);
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 1, 1, 9));
        assertThat(exists("a")).isTrue();
    }

    @Test
    void garbage_is_due_oldest_first_by_account_once_its_time_has_come() {
        Garbage late = new Garbage(make.blobId(), "disk-1", 1, NOW.plusSeconds(2));
        Garbage early = new Garbage(make.blobId(), "disk-1", 2, NOW.plusSeconds(1));
        Garbage other = new Garbage(make.blobId(), "disk-2", 4, NOW);
        namespace.discard(List.of(late, early, other));

        assertThat(namespace.dueGarbage("disk-1", NOW.plusSeconds(2), 10)).containsExactly(early);
        assertThat(namespace.dueGarbage("disk-1", NOW.plusSeconds(3), 10)).containsExactly(early, late);
        assertThat(namespace.dueGarbage("disk-1", NOW.plusSeconds(3), 1)).containsExactly(early);
        assertThat(namespace.dueGarbage("disk-2", NOW.plusSeconds(3), 10)).containsExactly(other);
        assertThat(namespace.dueGarbage("disk-3", NOW.plusSeconds(3), 10)).isEmpty();
    }

    @Test
    void deleted_garbage_is_forgotten_but_a_live_blob_is_not() {
        PutObject put = make.put("a", 3).command();
        ObjectVersion version = done(namespace.putObject(put));
        Garbage garbage = new Garbage(make.blobId(), "disk-1", 1, NOW);
        namespace.discard(List.of(garbage));

        namespace.garbageDeleted("disk-2", List.of(garbage.blob()));
        assertThat(garbage()).containsExactly(garbage.blob());
        namespace.garbageDeleted(
                "disk-1", List.of(garbage.blob(), put.blob().orElseThrow().blob(), make.blobId()));
        namespace.garbageDeleted("disk-1", List.of(garbage.blob()));

        assertThat(garbage()).isEmpty();
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 3, 0, 0));
        assertThat(current("a")).isEqualTo(version);
        assertThat(namespace.unknownBlobs("disk-1", List.of(garbage.blob()))).containsExactly(garbage.blob());
    }

    @Test
    void what_a_late_command_replaces_is_queued_as_of_its_commit() {
        PutObject replaced = make.put("a", 3).command();
        done(namespace.putObject(replaced));
        PutObject late = make.put("a", 5).command();
        time = NOW.plusSeconds(20);
        done(namespace.putObject(late));

        assertThat(current("a").lastModified()).isEqualTo(NOW);
        assertThat(namespace.dueGarbage("disk-1", NOW.plusSeconds(20), 10)).isEmpty();
        assertThat(namespace.dueGarbage("disk-1", NOW.plusSeconds(21), 10))
                .containsExactly(new Garbage(replaced.blob().orElseThrow().blob(), "disk-1", 3, NOW.plusSeconds(20)));
    }

    @Test
    void a_gateway_that_is_alone_has_all_that_an_account_bears() {
        AccountUse use = new AccountUse(
                "disk-1",
                new AccountUse.Rate(100, 0, 0, 0),
                new AccountUse.Rate(1_000, 500, 2_000, 500),
                new AccountUse.Rate(Double.POSITIVE_INFINITY, 0, 0, 0),
                Double.POSITIVE_INFINITY,
                0);
        for (int round = 0; round < 2; round++) {
            assertThat(namespace.shareAccounts("gateway-1", List.of(use), Duration.ofSeconds(1)))
                    .containsExactly(AccountShare.alone(use));
        }
    }
}
