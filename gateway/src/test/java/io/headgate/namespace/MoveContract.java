package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What every engine promises of moves between accounts, and of the accounts' modes. Objects are put into disk-1, parts into disk-2. */
public abstract class MoveContract extends NamespaceSuite {
    private static final String FROM = "disk-1";
    private static final String TO = "disk-2";

    private BlobMove move(ObjectVersion version) {
        return new BlobMove(slice(version).blob(), FROM, TO, version.sizeBytes());
    }

    private static Slice slice(ObjectVersion version) {
        return ((Manifest.Inline) version.manifest()).slice().orElseThrow();
    }

    private static List<BlobMove> one(BlobMove move) {
        return List.of(move);
    }

    private void moved(BlobMove move) {
        assertThat(namespace.beginMoves(one(move), time)).containsExactly(move);
        assertThat(namespace.finishMoves(one(move), time)).containsExactly(move);
    }

    private List<LiveBlobs.LiveBlob> live(String account, int limit) {
        List<LiveBlobs.LiveBlob> live = new ArrayList<>();
        Optional<BlobId> next = Optional.empty();
        do {
            LiveBlobs page = namespace.liveBlobs(account, next.orElse(null), limit);
            assertThat(page.blobs()).hasSizeLessThanOrEqualTo(limit);
            live.addAll(page.blobs());
            next = page.next();
        } while (next.isPresent());
        return live;
    }

    private List<BlobId> garbageOf(String account) {
        return namespace.dueGarbage(account, NOW.plusSeconds(1_000_000), 10_000).stream()
                .map(Garbage::blob)
                .toList();
    }

    @Test
    void live_blobs_of_an_account_are_listed_once_each_whatever_the_page() {
        List<LiveBlobs.LiveBlob> expected = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            ObjectVersion version = put("key-" + i, 1 + i);
            expected.add(new LiveBlobs.LiveBlob(slice(version).blob(), 1 + i));
        }
        delete("key-7");
        expected.remove(7);
        done(namespace.copyObject(make.copy("key-1", "copy")));
        Upload upload = done(namespace.createUpload(make.upload("u")));
        PutPart part = make.putPart(upload, 1, 9);
        done(namespace.putPart(part));
        namespace.discard(List.of(new Garbage(make.blobId(), FROM, 1, NOW)));

        for (int limit : new int[] {1, 7, 24, 10_000}) {
            assertThat(live(FROM, limit)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(live(TO, limit))
                    .containsExactly(
                            new LiveBlobs.LiveBlob(part.blob().orElseThrow().blob(), 9));
        }
        assertThat(live("disk-3", 10)).isEmpty();
    }

    @Test
    void a_finished_move_leads_readers_to_the_new_account_and_leaves_the_old_copy_as_garbage() {
        ObjectVersion before = put("a", 10);
        BlobMove move = move(before);

        assertThat(namespace.beginMoves(one(move), NOW)).containsExactly(move);
        assertThat(current("a")).isEqualTo(before);
        assertThat(account(FROM)).isEqualTo(new AccountUsage(1, 10, 0, 0));
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 1, 10));
        assertThat(garbage()).isEmpty();
        assertThat(namespace.unknownBlobs(TO, List.of(move.blob()))).isEmpty();

        time = NOW.plusSeconds(20);
        assertThat(namespace.finishMoves(one(move), NOW)).containsExactly(move);
        assertThat(slice(current("a"))).isEqualTo(new Slice(move.blob(), TO, 0, 10));
        assertThat(current("a").lastModified()).isEqualTo(before.lastModified());
        assertThat(account(FROM)).isEqualTo(new AccountUsage(0, 0, 1, 10));
        assertThat(account(TO)).isEqualTo(new AccountUsage(1, 10, 0, 0));
        assertThat(namespace.dueGarbage(FROM, NOW.plusSeconds(20), 10)).isEmpty();
        assertThat(namespace.dueGarbage(FROM, NOW.plusSeconds(21), 10))
                .as("queued as of the commit")
                .containsExactly(new Garbage(move.blob(), FROM, 10, NOW.plusSeconds(20)));
        assertThat(namespace.dueGarbage(TO, NOW.plusSeconds(21), 10)).isEmpty();
        assertThat(namespace.movesUnderWay(10)).isEmpty();
        assertThat(namespace.unknownBlobs(FROM, List.of(move.blob()))).isEmpty();
    }

    @Test
    void the_old_copy_is_forgotten_alone_and_the_object_lives_on() {
        BlobMove move = move(put("a", 10));
        moved(move);

        namespace.garbageDeleted(TO, one(move).stream().map(BlobMove::blob).toList());
        assertThat(account(TO)).isEqualTo(new AccountUsage(1, 10, 0, 0));
        namespace.garbageDeleted(FROM, List.of(move.blob()));
        namespace.garbageDeleted(FROM, List.of(move.blob()));

        assertThat(garbage()).isEmpty();
        assertThat(account(FROM)).isEqualTo(AccountUsage.NONE);
        assertThat(namespace.unknownBlobs(FROM, List.of(move.blob()))).containsExactly(move.blob());
        assertThat(slice(current("a")).account()).isEqualTo(TO);

        delete("a");
        assertThat(garbageOf(TO)).containsExactly(move.blob());
        namespace.garbageDeleted(TO, List.of(move.blob()));
        assertThat(account(TO)).isEqualTo(AccountUsage.NONE);
    }

    @Test
    void a_blob_deleted_after_its_move_is_garbage_in_both_accounts_at_once() {
        BlobMove move = move(put("a", 10));
        moved(move);
        delete("a");

        assertThat(garbageOf(FROM)).containsExactly(move.blob());
        assertThat(garbageOf(TO)).containsExactly(move.blob());
        namespace.garbageDeleted(TO, List.of(move.blob()));
        assertThat(garbageOf(FROM)).containsExactly(move.blob());
        assertThat(namespace.unknownBlobs(TO, List.of(move.blob()))).containsExactly(move.blob());
        namespace.garbageDeleted(FROM, List.of(move.blob()));
        assertThat(account(FROM)).isEqualTo(AccountUsage.NONE);
        assertThat(account(TO)).isEqualTo(AccountUsage.NONE);
    }

    @Test
    void commands_of_a_move_that_are_sent_again_take_effect_once() {
        BlobMove move = move(put("a", 10));

        assertThat(namespace.beginMoves(one(move), NOW)).containsExactly(move);
        assertThat(namespace.beginMoves(one(move), NOW)).containsExactly(move);
        assertThat(namespace.movesUnderWay(10)).containsExactly(move);
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 1, 10));

        assertThat(namespace.finishMoves(one(move), NOW)).containsExactly(move);
        assertThat(namespace.finishMoves(one(move), NOW)).containsExactly(move);
        namespace.abandonMoves(one(move), NOW);
        assertThat(namespace.beginMoves(one(move), NOW)).isEmpty();

        assertThat(slice(current("a")).account()).isEqualTo(TO);
        assertThat(account(FROM)).isEqualTo(new AccountUsage(0, 0, 1, 10));
        assertThat(account(TO)).isEqualTo(new AccountUsage(1, 10, 0, 0));
    }

    @Test
    void only_blobs_that_live_in_the_account_begin_to_move_and_their_size_is_the_namespace_s() {
        BlobMove alive = move(put("a", 10));
        BlobMove dead = move(put("b", 11));
        delete("b");
        BlobMove unheardOf = new BlobMove(make.blobId(), FROM, TO, 1);
        BlobMove elsewhere = new BlobMove(alive.blob(), TO, FROM, 10);

        assertThat(namespace.beginMoves(
                        List.of(dead, new BlobMove(alive.blob(), FROM, TO, 777), unheardOf, elsewhere), NOW))
                .containsExactly(alive);
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 1, 10));
    }

    @Test
    void a_blob_deleted_during_its_move_takes_the_new_copy_along() {
        BlobMove move = move(put("a", 10));
        namespace.beginMoves(one(move), NOW);
        delete("a");

        assertThat(namespace.finishMoves(one(move), NOW)).isEmpty();

        assertThat(exists("a")).isFalse();
        assertThat(garbageOf(FROM)).containsExactly(move.blob());
        assertThat(garbageOf(TO)).containsExactly(move.blob());
        assertThat(namespace.movesUnderWay(10)).isEmpty();
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 1, 10));
    }

    @Test
    void a_blob_deleted_and_forgotten_during_its_move_leaves_the_new_copy_to_be_deleted() {
        BlobMove move = move(put("a", 10));
        namespace.beginMoves(one(move), NOW);
        delete("a");
        namespace.garbageDeleted(FROM, List.of(move.blob()));
        assertThat(namespace.unknownBlobs(TO, List.of(move.blob()))).isEmpty();

        assertThat(namespace.finishMoves(one(move), NOW)).isEmpty();

        assertThat(garbageOf(TO)).containsExactly(move.blob());
        namespace.garbageDeleted(TO, List.of(move.blob()));
        assertThat(account(FROM)).isEqualTo(AccountUsage.NONE);
        assertThat(account(TO)).isEqualTo(AccountUsage.NONE);
    }

    @Test
    void an_object_overwritten_during_the_move_of_its_blob_keeps_its_new_bytes() {
        BlobMove move = move(put("a", 10));
        namespace.beginMoves(one(move), NOW);
        ObjectVersion after = put("a", 20);

        assertThat(namespace.finishMoves(one(move), NOW)).isEmpty();

        assertThat(current("a")).isEqualTo(after);
        assertThat(account(FROM)).isEqualTo(new AccountUsage(1, 20, 1, 10));
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 1, 10));
    }

    @Test
    void an_object_copied_during_the_move_of_its_blob_moves_along() {
        BlobMove move = move(put("a", 10));
        namespace.beginMoves(one(move), NOW);
        done(namespace.copyObject(make.copy("a", "b")));

        assertThat(namespace.finishMoves(one(move), NOW)).containsExactly(move);
        delete("a");

        assertThat(slice(current("b"))).isEqualTo(new Slice(move.blob(), TO, 0, 10));
        assertThat(account(TO)).isEqualTo(new AccountUsage(1, 10, 0, 0));
        done(namespace.copyObject(make.copy("b", "c")));
        assertThat(slice(current("c")).account()).isEqualTo(TO);
    }

    @Test
    void the_slices_of_a_stored_manifest_lead_to_the_new_account() {
        put("source", 50);
        Upload upload = done(namespace.createUpload(make.upload("big")));
        PutPart own = make.putPart(upload, 1, 10);
        Part first = done(namespace.putPart(own));
        Part second = done(namespace.copyPart(make.copyPart("source", new ByteRange.Between(5, 24), upload, 2)));
        Slice part = own.blob().orElseThrow();
        Slice source = slice(current("source"));
        namespace.beginMoves(List.of(new BlobMove(part.blob(), TO, "disk-3", 10)), NOW);
        ObjectVersion version = done(namespace.completeUpload(make.complete(upload, List.of(first, second))));
        Manifest.Stored stored = (Manifest.Stored) version.manifest();

        namespace.finishMoves(List.of(new BlobMove(part.blob(), TO, "disk-3", 10)), NOW);
        moved(new BlobMove(source.blob(), FROM, TO, 50));

        assertThat(namespace.slices(stored, 0, 10))
                .containsExactly(
                        new ManifestSlice(0, new Slice(part.blob(), "disk-3", 0, 10)),
                        new ManifestSlice(10, new Slice(source.blob(), TO, 5, 20)));
        delete("big");
        delete("source");
        assertThat(namespace.dueGarbage("disk-3", NOW.plusSeconds(1_000), 10))
                .extracting(Garbage::blob)
                .containsExactly(part.blob());
        assertThat(garbageOf(TO)).containsExactlyInAnyOrder(part.blob(), source.blob());
    }

    @Test
    void an_abandoned_move_leaves_the_blob_where_it_is_and_its_copy_as_garbage() {
        ObjectVersion version = put("a", 10);
        BlobMove move = move(version);
        namespace.beginMoves(one(move), NOW);

        namespace.abandonMoves(one(move), NOW.plusSeconds(3));
        namespace.abandonMoves(one(move), NOW.plusSeconds(9));

        assertThat(current("a")).isEqualTo(version);
        assertThat(namespace.movesUnderWay(10)).isEmpty();
        assertThat(namespace.dueGarbage(TO, NOW.plusSeconds(4), 10))
                .containsExactly(new Garbage(move.blob(), TO, 10, NOW.plusSeconds(3)));
        assertThat(namespace.finishMoves(one(move), NOW)).isEmpty();
        assertThat(account(FROM)).isEqualTo(new AccountUsage(1, 10, 0, 0));
    }

    @Test
    void a_blob_does_not_move_to_where_its_garbage_waits_or_was_deleted_a_moment_ago() {
        BlobMove there = move(put("a", 10));
        BlobMove back = new BlobMove(there.blob(), TO, FROM, 10);
        moved(there);

        assertThat(namespace.beginMoves(one(back), time)).isEmpty();
        namespace.garbageDeleted(FROM, List.of(there.blob()));
        assertThat(namespace.beginMoves(one(back), time)).isEmpty();
        time = NOW.plus(Namespace.MOVE_BACK_AFTER);
        assertThat(namespace.beginMoves(one(back), time)).isEmpty();
        assertThat(account(FROM)).isEqualTo(AccountUsage.NONE);

        time = time.plusMillis(1);
        moved(back);
        assertThat(slice(current("a")).account()).isEqualTo(FROM);
        assertThat(account(FROM)).isEqualTo(new AccountUsage(1, 10, 0, 0));
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 1, 10));
    }

    @Test
    void a_copy_being_made_is_no_stray_and_cannot_be_discarded() {
        BlobMove move = move(put("a", 10));
        namespace.beginMoves(one(move), NOW);

        namespace.discard(List.of(new Garbage(move.blob(), TO, 10, NOW)));

        assertThat(garbage()).isEmpty();
        assertThat(namespace.finishMoves(one(move), NOW)).containsExactly(move);
    }

    @Test
    void a_put_that_is_repeated_after_its_blob_has_moved_takes_effect_once() {
        PutObject put = make.put("a", 10).command();
        BlobMove move = move(done(namespace.putObject(put)));
        moved(move);

        assertThat(done(namespace.putObject(put)).etag()).isEqualTo(put.etag());

        assertThat(slice(current("a")).account()).isEqualTo(TO);
        assertThat(account(FROM)).isEqualTo(new AccountUsage(0, 0, 1, 10));
        assertThat(account(TO)).isEqualTo(new AccountUsage(1, 10, 0, 0));
    }

    @Test
    void moves_under_way_survive_a_restart() throws Exception {
        BlobMove move = move(put("a", 10));
        namespace.beginMoves(one(move), NOW);

        namespace.close();
        namespace = reopen();

        assertThat(namespace.movesUnderWay(10)).containsExactly(move);
        namespace.abandonMoves(namespace.movesUnderWay(10), NOW);
        assertThat(garbageOf(TO)).containsExactly(move.blob());
    }

    @Test
    void after_a_move_is_finished_no_look_up_leads_to_the_old_account() throws Exception {
        int objects = 60;
        List<BlobMove> moves = new ArrayList<>();
        for (int i = 0; i < objects; i++) {
            moves.add(move(put("key-" + i, 1)));
        }
        namespace.beginMoves(moves, NOW);
        boolean[] finished = new boolean[objects];
        CountDownLatch over = new CountDownLatch(1);
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int reader = 0; reader < 4; reader++) {
            int first = reader;
            tasks.add(() -> {
                int looked = 0;
                for (int i = first; over.getCount() > 0 || looked < objects; i = (i + 1) % objects) {
                    boolean mustBeMoved;
                    synchronized (finished) {
                        mustBeMoved = finished[i];
                    }
                    String account = slice(current("key-" + i)).account();
                    assertThat(!mustBeMoved || account.equals(TO))
                            .as("key-" + i)
                            .isTrue();
                    looked++;
                }
                return looked;
            });
        }
        tasks.add(() -> {
            try {
                for (int i = 0; i < objects; i++) {
                    namespace.finishMoves(one(moves.get(i)), NOW);
                    synchronized (finished) {
                        finished[i] = true;
                    }
                }
            } finally {
                over.countDown();
            }
            return objects;
        });

        assertThat(atOnce(tasks)).allMatch(looked -> looked >= objects);
        assertThat(live(FROM, 100)).isEmpty();
    }

    @Test
    void of_a_finish_and_a_delete_at_once_the_bytes_are_garbage_in_both_accounts_whoever_wins() throws Exception {
        for (int round = 0; round < 20; round++) {
            String key = "key-" + round;
            BlobMove move = move(put(key, 1));
            namespace.beginMoves(one(move), NOW);
            Callable<Boolean> finish =
                    () -> namespace.finishMoves(one(move), NOW).isEmpty();
            Callable<Boolean> delete = () -> delete(key);

            atOnce(List.of(finish, delete));
        }

        assertThat(account(FROM)).isEqualTo(new AccountUsage(0, 0, 20, 20));
        assertThat(account(TO)).isEqualTo(new AccountUsage(0, 0, 20, 20));
        assertThat(garbage()).hasSize(40);
    }

    @Test
    void modes_are_kept_by_account_and_survive_a_restart() throws Exception {
        assertThat(namespace.accountModes().getOrDefault(FROM, AccountMode.NONE))
                .isEqualTo(AccountMode.NONE);
        namespace.setDraining(FROM, true);
        namespace.setReadOnly(FROM, true);
        namespace.setReadOnly(TO, true);
        namespace.setReadOnly(TO, false);

        namespace.close();
        namespace = reopen();

        assertThat(namespace.accountModes().get(FROM)).isEqualTo(new AccountMode(true, true, 0, 0));
        assertThat(namespace.accountModes().getOrDefault(TO, AccountMode.NONE)).isEqualTo(AccountMode.NONE);
        namespace.setDraining(FROM, false);
        assertThat(namespace.accountModes().get(FROM)).isEqualTo(new AccountMode(false, true, 0, 0));
    }

    @Test
    void what_has_moved_is_counted_from_the_beginning_of_the_drain() {
        moved(move(put("before", 5)));
        namespace.setDraining(FROM, true);
        BlobMove move = move(put("a", 10));
        moved(move);
        namespace.finishMoves(one(move), NOW);
        moved(move(put("b", 20)));
        namespace.setDraining(FROM, true);
        assertThat(namespace.accountModes().get(FROM)).isEqualTo(new AccountMode(true, false, 2, 30));

        namespace.setDraining(FROM, false);
        assertThat(namespace.accountModes().get(FROM)).isEqualTo(new AccountMode(false, false, 2, 30));
        namespace.setDraining(FROM, true);
        assertThat(namespace.accountModes().get(FROM)).isEqualTo(new AccountMode(true, false, 0, 0));
    }

    @Test
    void a_new_write_is_listed_by_a_pass_that_began_before_it() {
        put("a", 1);
        LiveBlobs first = namespace.liveBlobs(FROM, null, 1);
        assertThat(first.blobs()).hasSize(1);
        Instant later = NOW.plusSeconds(5);
        Commands.Put put = make.put("b", 2);
        put.blob = Optional.of(new Slice(BlobId.of(later.getEpochSecond(), BlobId.SLOTS - 1, -1, -1), FROM, 0, 2));
        done(namespace.putObject(put.at(later).command()));

        assertThat(namespace
                        .liveBlobs(FROM, first.blobs().getFirst().blob(), 10)
                        .blobs())
                .containsExactly(new LiveBlobs.LiveBlob(put.blob.get().blob(), 2));
        assertThat(namespace.currentVersion(BUCKET, new ObjectKey("b"))).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void a_lease_has_one_holder_until_it_ends_or_is_given_back() {
        Instant until = NOW.plusSeconds(10);
        assertThat(namespace.lease("work", "a", NOW, until)).isTrue();
        assertThat(namespace.lease("work", "b", NOW, until)).isFalse();
        assertThat(namespace.lease("other work", "b", NOW, until)).isTrue();
        assertThat(namespace.lease("work", "a", NOW.plusSeconds(5), until.plusSeconds(5)))
                .isTrue();
        assertThat(namespace.lease("work", "b", until, until.plusSeconds(10))).isFalse();
        assertThat(namespace.lease("work", "b", until.plusSeconds(5), until.plusSeconds(20)))
                .isTrue();
        assertThat(namespace.lease("work", "a", until.plusSeconds(5), until.plusSeconds(20)))
                .isFalse();
        assertThat(namespace.lease("work", "b", until.plusSeconds(6), until.plusSeconds(6)))
                .isTrue();
        assertThat(namespace.lease("work", "a", until.plusSeconds(6), until.plusSeconds(20)))
                .isTrue();
    }

    @Test
    void of_many_who_ask_for_a_lease_one_gets_it() throws Exception {
        List<Callable<Boolean>> asking = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            String holder = "gateway-" + i;
            asking.add(() -> namespace.lease("work", holder, NOW, NOW.plusSeconds(10)));
        }
        assertThat(atOnce(asking)).filteredOn(got -> got).hasSize(1);
    }
}
