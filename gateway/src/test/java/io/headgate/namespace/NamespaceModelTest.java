package io.headgate.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Does the same random things, one after the other, to an engine and to {@link ModelNamespace}, and looks whether a client could tell
 * them apart. Few names and short times, so that everything meets everything. {@code -Dheadgate.model.seed=N} repeats a run,
 * {@code -Dheadgate.model.steps=N} makes it longer.
 */
public abstract class NamespaceModelTest {
    private static final List<String> KEYS = List.of(
            "a",
            "a/",
            "a/b",
            "a/b/c",
            "a/b/d",
            "a//",
            "a\u0000",
            "\u0000",
            "b→c",
            "b→→c",
            "c--d--e",
            "c--d",
            "\uFFFD",
            "\uD83D\uDE00",
            "\uD83D\uDE00/x",
            "\uD83D\uDE00/\uD83D\uDE01",
            "zz");
    private static final List<String> DELIMITERS =
            List.of("", "/", "/", "→", "→→", "--", "b", "\u0000", "\uD83D\uDE00", "no such delimiter");
    private static final List<BucketName> BUCKETS =
            List.of(new BucketName("first"), new BucketName("second"), new BucketName("third"));
    private static final List<String> ACCOUNTS = List.of("disk-1", "disk-2", "disk-3");
    private static final List<String> CLASSES = List.of("STANDARD", "STANDARD", "GLACIER");
    private static final int REPEATABLE = 20;
    private static final int CHECK_EVERY = 400;
    private static final Duration GRACE = Duration.ofSeconds(60);

    private final long seed = Long.getLong("headgate.model.seed", System.nanoTime());
    private final int steps;
    private final SplittableRandom random = new SplittableRandom(seed);
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    /** The engine's clock: the time of the step. */
    protected final InstantSource clock = () -> now;

    private final ModelNamespace model = new ModelNamespace(NamespaceSuite.MIN_PART_BYTES, clock);
    private Namespace engine;
    private long intent;
    private final List<Upload> uploads = new ArrayList<>();
    private final Deque<Sent> recent = new ArrayDeque<>();
    private final List<BlobId> seen = new ArrayList<>();

    private record Sent(Instant at, Function<Namespace, Object> command) {}

    /** @param steps how many, unless the system property says */
    protected NamespaceModelTest(int steps) {
        this.steps = Integer.getInteger("headgate.model.steps", steps);
    }

    /** Opens the engine on a fresh place. */
    protected abstract Namespace open() throws Exception;

    /** Opens the engine that was closed on the same place. */
    protected abstract Namespace reopen() throws Exception;

    /** Looks whether what the engine keeps fits together; called while the engine is open. */
    protected abstract void checkInside() throws Exception;

    /** Does something of which no client may notice anything. */
    protected void afterStep(Namespace engine) {}

    @Test
    void a_client_cannot_tell_the_engine_from_the_model() throws Exception {
        engine = open();
        int step = 0;
        try {
            both(namespace -> namespace.createBucket(new Bucket(BUCKETS.getFirst(), "alice", "", now)));
            openIntent();
            for (; step < steps; step++) {
                now = now.plusMillis(random.nextLong(2_000)); // finer is not kept
                step();
                afterStep(engine);
                if (step % CHECK_EVERY == CHECK_EVERY - 1) {
                    checkAll();
                    checkInside();
                    checkAudit();
                }
                if (step == steps / 2) {
                    engine.close();
                    engine = reopen();
                }
            }
        } catch (Throwable failed) {
            throw new AssertionError("at step " + step + " with -Dheadgate.model.seed=" + seed, failed);
        } finally {
            engine.close();
        }
    }

    private void step() {
        switch (random.nextInt(26)) {
            case 0 -> buckets();
            case 1, 2, 3, 4, 5 -> command(put());
            case 6, 7 -> deletes();
            case 8, 9 -> command(copy());
            case 10 -> startUpload();
            case 11, 12, 13 -> putPart();
            case 14 -> copyPart();
            case 15 -> complete();
            case 16 -> abort(upload());
            case 17 -> repeat();
            case 18 -> listObjects();
            case 19 -> listUploads();
            case 20 -> look();
            case 21 -> garbage();
            case 22 -> intents();
            case 23 -> discard();
            case 24, 25 -> moves();
            default -> throw new AssertionError();
        }
    }

    // Doing the same to both

    private Object both(Function<Namespace, Object> command) {
        Object expected = seenBy(model, command.apply(model));
        Object actual = seenBy(engine, command.apply(engine));
        assertThat(actual).isEqualTo(expected);
        return expected;
    }

    /** A command that may be sent again in one of the next steps. */
    private void command(Function<Namespace, Object> command) {
        both(command);
        sent(command);
    }

    private void sent(Function<Namespace, Object> command) {
        recent.addLast(new Sent(now, command));
        if (recent.size() > REPEATABLE) {
            recent.removeFirst();
        }
    }

    private void repeat() {
        // A blob is known until it is deleted as garbage, and by it the command.
        recent.removeIf(sent -> sent.at.isBefore(now.minus(GRACE)));
        if (!recent.isEmpty()) {
            // The answer to a repeat may say where the blob was when it was given first: nothing is read by it.
            Function<Namespace, Object> command = oneOf(List.copyOf(recent)).command;
            assertThat(withoutAccounts(seenBy(engine, command.apply(engine))))
                    .isEqualTo(withoutAccounts(seenBy(model, command.apply(model))));
        }
    }

    /** What a client can see of an outcome: not the engine's own names of manifests, nor its explanations. */
    private static Object seenBy(Namespace namespace, Object result) {
        return switch (result) {
            case Outcome.Refused<?> refused -> refused.reason();
            case Outcome.Done<?>(ObjectVersion version) -> versionSeen(namespace, version);
            case Outcome.Done<?>(Object value) -> value;
            case List<?> list ->
                list.stream().map(one -> seenBy(namespace, one)).toList();
            default -> result;
        };
    }

    private static Object withoutAccounts(Object seen) {
        return switch (seen) {
            case List<?> list ->
                list.stream().map(NamespaceModelTest::withoutAccounts).toList();
            case Manifest.Inline(Optional<Slice> slice) ->
                slice.map(one -> List.of(one.blob(), one.offsetBytes(), one.lengthBytes()));
            default -> seen;
        };
    }

    private static Object versionSeen(Namespace namespace, ObjectVersion version) {
        List<Object> lines = new ArrayList<>();
        lines.add(version.key());
        lines.add(version.writeId());
        lines.add(version.lastModified());
        lines.add(version.sizeBytes());
        lines.add(version.etag());
        lines.add(version.attributes());
        lines.add(version.checksums());
        switch (version.manifest()) {
            case Manifest.Inline inline -> lines.add(inline);
            case Manifest.Stored stored -> {
                lines.add(stored.parts());
                lines.addAll(namespace.parts(stored, 0, 1_000));
                lines.addAll(namespace.slices(stored, 0, 1_000));
                lines.addAll(namespace.slices(stored, version.sizeBytes() / 2, 2));
            }
        }
        return lines;
    }

    // The steps

    private void buckets() {
        BucketName name = bucket();
        switch (random.nextInt(6)) {
            case 0 -> {
                Instant at = now;
                both(namespace -> namespace.deleteBucket(name, at));
            }
            case 3, 4 -> {
                BucketSetting setting = oneOf(List.of(BucketSetting.values()));
                Optional<String> document =
                        random.nextInt(3) == 0 ? Optional.empty() : Optional.of("set " + random.nextInt(100) + "→");
                both(namespace -> namespace.changeBucket(name, setting, document));
                both(namespace -> namespace.bucket(name));
            }
            case 1, 2 -> {
                Bucket bucket = new Bucket(name, oneOf(List.of("alice", "bob")), "eu", now);
                both(namespace -> namespace.createBucket(bucket));
            }
            default -> {
                BucketQuery query =
                        new BucketQuery("alice", oneOf(List.of("", "s", "fir")), oneOf(List.of("", "first")), 2);
                both(namespace -> namespace.listBuckets(query));
            }
        }
    }

    private Function<Namespace, Object> put() {
        long size = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(40);
        Optional<Attempt> attempt = random.nextInt(4) > 0
                ? Optional.empty()
                : Optional.of(new Attempt("call-" + random.nextInt(3), 1 + random.nextInt(3)));
        Optional<Slice> blob = size == 0 ? Optional.empty() : Optional.of(blob(size));
        PutObject command = new PutObject(
                bucket(),
                key(),
                blob.isPresent() && random.nextBoolean() ? blob.get().blob().toString() : writeId(),
                attributes(),
                size,
                etag(),
                checksums(),
                blob,
                condition(),
                random.nextInt(50) == 0 ? 999_999 : intent,
                attempt,
                now);
        return namespace -> namespace.putObject(command);
    }

    private void deletes() {
        BucketName bucket = bucket();
        List<DeleteObject> commands = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            commands.add(new DeleteObject(key(), condition()));
        }
        Instant at = now;
        both(namespace -> namespace.deleteObjects(bucket, commands, at));
    }

    private Function<Namespace, Object> copy() {
        CopyObject command = new CopyObject(
                bucket(),
                key(),
                random.nextInt(20) == 0 ? Optional.of(writeId()) : Optional.empty(),
                readCondition(),
                bucket(),
                key(),
                writeId(),
                random.nextBoolean() ? Optional.empty() : Optional.of(attributes()),
                random.nextBoolean() ? Optional.empty() : Optional.of(Map.of("copied", "yes")),
                oneOf(CLASSES),
                random.nextInt(3) > 0 ? Optional.empty() : Optional.of("/elsewhere"),
                random.nextBoolean() ? Optional.empty() : Optional.of(checksums()),
                condition(),
                now);
        return namespace -> namespace.copyObject(command);
    }

    private void startUpload() {
        Optional<Upload.UploadChecksum> checksum = random.nextBoolean()
                ? Optional.empty()
                : Optional.of(new Upload.UploadChecksum(
                        ChecksumAlgorithm.CRC32, oneOf(List.of(Checksum.Type.COMPOSITE, Checksum.Type.FULL_OBJECT))));
        Upload upload = new Upload(writeId(), bucket(), key(), attributes(), checksum, "alice", millis(now));
        both(namespace -> namespace.createUpload(upload));
        uploads.add(upload);
        if (uploads.size() > 6) {
            abort(uploads.removeFirst());
        }
    }

    private Upload upload() {
        if (uploads.isEmpty()) {
            startUpload();
        }
        return oneOf(uploads);
    }

    private void putPart() {
        Upload upload = upload();
        long size = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(20);
        byte[] crc = new byte[4];
        crc[random.nextInt(4)] = (byte) random.nextInt();
        Optional<Checksum> checksum = upload.checksum().map(kind -> Checksum.full(kind.algorithm(), crc));
        Part part = new Part(1 + random.nextInt(4), size, etag(), checksum, now);
        PutPart command = new PutPart(
                upload.bucket(),
                upload.key(),
                upload.id(),
                part,
                size == 0 ? Optional.empty() : Optional.of(blob(size)),
                random.nextInt(50) == 0 ? 999_999 : intent);
        if (size == 0) {
            both(namespace -> namespace.putPart(command));
        } else {
            command(namespace -> namespace.putPart(command));
        }
    }

    private void copyPart() {
        Upload upload = upload();
        long first = random.nextInt(20);
        ByteRange range =
                random.nextBoolean() ? new ByteRange.Whole() : new ByteRange.Between(first, first + random.nextInt(30));
        CopyPart command = new CopyPart(
                bucket(),
                key(),
                Optional.empty(),
                readCondition(),
                range,
                upload.bucket(),
                upload.key(),
                upload.id(),
                1 + random.nextInt(4),
                Optional.empty(),
                now);
        both(namespace -> namespace.copyPart(command));
    }

    private void complete() {
        Upload upload = upload();
        List<CompleteUpload.NamedPart> named = new ArrayList<>();
        if (model.listParts(upload.bucket(), upload.key(), upload.id(), 0, 100)
                instanceof Outcome.Done<PartsPage>(PartsPage page)) {
            for (Part part : page.parts()) {
                if (random.nextInt(5) > 0) {
                    ETag etag = random.nextInt(30) == 0 ? etag() : part.etag();
                    named.add(new CompleteUpload.NamedPart(part.number(), etag, part.checksum()));
                }
            }
        }
        if (random.nextInt(20) == 0) {
            Collections.reverse(named);
        }
        CompleteUpload command = new CompleteUpload(
                upload.bucket(),
                upload.key(),
                upload.id(),
                writeId(),
                named,
                Optional.empty(),
                random.nextInt(10) == 0 ? Optional.of(30L) : Optional.empty(),
                condition(),
                now);
        Function<Namespace, Object> completion = namespace -> namespace.completeUpload(command);
        if (both(completion) instanceof Refusal) {
            return; // an engine may remember a refusal by the write's id, or decide anew: no request uses an id twice
        }
        sent(completion);
    }

    private void abort(Upload upload) {
        Instant at = now;
        both(namespace -> namespace.abortUpload(upload.bucket(), upload.key(), upload.id(), at));
    }

    private void listObjects() {
        BucketName bucket = bucket();
        String prefix = prefix();
        String delimiter = oneOf(DELIMITERS);
        int limit = random.nextInt(6);
        String after = random.nextInt(3) == 0 ? prefix() : "";
        boolean truncated;
        int pages = 0;
        do {
            ObjectQuery query = new ObjectQuery(bucket, prefix, delimiter, after, limit);
            Object page = both(namespace -> namespace.listObjects(query));
            truncated = page instanceof ObjectPage(List<ObjectPage.Entry> entries, boolean more, String last) && more;
            after = page instanceof ObjectPage(List<ObjectPage.Entry> entries, boolean more, String last) ? last : "";
            assertThat(++pages).isLessThan(100);
        } while (truncated);
    }

    private void listUploads() {
        BucketName bucket = bucket();
        String prefix = prefix();
        String delimiter = oneOf(DELIMITERS);
        int limit = random.nextInt(4);
        String afterKey = random.nextInt(3) == 0 ? key().value() : "";
        String afterId = "";
        boolean truncated;
        int pages = 0;
        do {
            UploadQuery query = new UploadQuery(bucket, prefix, delimiter, afterKey, afterId, limit);
            Object seenPage = both(namespace -> namespace.listUploads(query));
            truncated = false;
            if (seenPage instanceof UploadPage page) {
                truncated = page.truncated();
                afterKey = page.lastKey();
                afterId = page.lastUploadId();
            }
            assertThat(++pages).isLessThan(10_000);
        } while (truncated);
    }

    private void look() {
        BucketName bucket = bucket();
        ObjectKey key = key();
        both(namespace -> namespace.currentVersion(bucket, key));
        both(namespace -> namespace.bucketUsage(bucket));
        Upload upload = upload();
        both(namespace -> namespace.upload(upload.bucket(), upload.key(), upload.id()));
        int after = random.nextInt(5);
        int limit = 1 + random.nextInt(3);
        both(namespace -> namespace.listParts(upload.bucket(), upload.key(), upload.id(), after, limit));
    }

    private void garbage() {
        Instant before = now.minus(GRACE);
        for (String account : ACCOUNTS) {
            List<Garbage> due = sameGarbage(account, before);
            List<BlobId> deleted = new ArrayList<>();
            due.stream().filter(blob -> random.nextInt(4) > 0).forEach(blob -> deleted.add(blob.blob()));
            model.garbageDeleted(account, deleted);
            engine.garbageDeleted(account, deleted);
        }
        Instant long_ago = now.minusSeconds(300);
        both(namespace -> namespace.forgetCompletedUploads(long_ago, 1_000));
    }

    private List<Garbage> sameGarbage(String account, Instant before) {
        List<Garbage> expected = model.dueGarbage(account, before, 100_000);
        List<Garbage> actual = engine.dueGarbage(account, before, 100_000);
        assertThat(actual).hasSameSizeAs(expected);
        assertThat(Set.copyOf(actual)).isEqualTo(Set.copyOf(expected));
        assertThat(actual).extracting(Garbage::queuedAt).isSorted();
        return expected;
    }

    private void checkAudit() {
        List<Discrepancy> found = new ArrayList<>();
        engine.audit(found::add);
        assertThat(found).isEmpty();
        assertThat(holders(engine)).containsExactlyInAnyOrderElementsOf(holders(model));
        for (String account : ACCOUNTS) {
            assertThat(engine.garbage(account, null, 100_000))
                    .containsExactlyInAnyOrderElementsOf(model.garbage(account, null, 100_000));
        }
    }

    private List<Holder> holders(Namespace namespace) {
        List<Holder> found = new ArrayList<>();
        namespace.holders(seen, found::add);
        return found;
    }

    private void openIntent() {
        Instant at = now;
        Intent made = (Intent)
                both(namespace -> namespace.openIntent("gateway", at, at.plusSeconds(60), at.plusSeconds(100)));
        intent = made.id();
    }

    private void intents() {
        Instant at = now;
        List<Long> ids = List.of(Math.max(1, intent - 1), intent);
        switch (random.nextInt(4)) {
            case 0 -> both(namespace -> namespace.renewIntents(ids, at.plusSeconds(100)));
            case 1 -> both(namespace -> namespace.takeExpiredIntents(at, 2));
            case 2 -> {
                long old = Math.max(1, intent - random.nextInt(4));
                model.closeIntents(List.of(old));
                engine.closeIntents(List.of(old));
            }
            default -> openIntent();
        }
    }

    private void discard() {
        List<Garbage> discarded = new ArrayList<>();
        discarded.add(new Garbage(blob(5).blob(), oneOf(ACCOUNTS), 5, millis(now)));
        if (!seen.isEmpty()) {
            BlobId known = oneOf(seen);
            String account = oneOf(ACCOUNTS);
            boolean everywhereUnknown = ACCOUNTS.stream()
                    .noneMatch(name -> model.unknownBlobs(name, List.of(known)).isEmpty());
            if (!everywhereUnknown) {
                discarded.add(new Garbage(known, account, 1, millis(now)));
            }
            both(namespace -> namespace.unknownBlobs(account, List.of(known)));
        }
        model.discard(discarded);
        engine.discard(discarded);
    }

    private void moves() {
        Instant at = now;
        switch (random.nextInt(7)) {
            case 0, 1, 2 -> {
                List<BlobMove> begun = new ArrayList<>();
                for (int i = random.nextInt(8); i >= 0 && !seen.isEmpty(); i--) {
                    String from = oneOf(ACCOUNTS);
                    List<LiveBlobs.LiveBlob> there =
                            model.liveBlobs(from, null, 100_000).blobs();
                    String to = oneOf(ACCOUNTS);
                    if (!to.equals(from)) {
                        BlobId blob = there.isEmpty() || random.nextInt(5) == 0
                                ? oneOf(seen)
                                : oneOf(there).blob();
                        begun.add(new BlobMove(blob, from, to, 0));
                    }
                }
                both(namespace -> namespace.beginMoves(begun, at));
            }
            case 3, 4 -> {
                List<BlobMove> finished = someUnderWay();
                both(namespace -> namespace.finishMoves(finished, at));
                if (random.nextInt(4) == 0) {
                    both(namespace -> namespace.finishMoves(finished, at));
                }
            }
            case 5 -> {
                List<BlobMove> abandoned = someUnderWay();
                model.abandonMoves(abandoned, at);
                engine.abandonMoves(abandoned, at);
            }
            default -> {
                String account = oneOf(ACCOUNTS);
                boolean on = random.nextBoolean();
                boolean drain = random.nextBoolean();
                boolean balance = random.nextInt(3) == 0;
                for (Namespace namespace : List.of(model, engine)) {
                    if (balance) {
                        namespace.setRebalancing(on);
                    } else if (drain) {
                        namespace.setDraining(account, on);
                    } else {
                        namespace.setReadOnly(account, on);
                    }
                }
            }
        }
    }

    private List<BlobMove> someUnderWay() {
        return model.movesUnderWay(100_000).stream()
                .filter(move -> random.nextInt(4) > 0)
                .toList();
    }

    // Looking at everything

    private void checkAll() {
        for (BucketName bucket : BUCKETS) {
            both(namespace -> namespace.bucket(bucket));
            both(namespace -> namespace.bucketUsage(bucket));
            both(namespace -> namespace.listObjects(new ObjectQuery(bucket, "", "", "", 1_000)));
            both(namespace -> namespace.listUploads(new UploadQuery(bucket, "", "", "", "", 1_000)));
            for (String key : KEYS) {
                both(namespace -> namespace.currentVersion(bucket, new ObjectKey(key)));
            }
        }
        List<BlobId> some = List.copyOf(seen.subList(0, Math.min(1_000, seen.size())));
        for (String account : ACCOUNTS) {
            both(namespace -> namespace.unknownBlobs(account, some));
            assertThat(live(engine, account)).isEqualTo(live(model, account));
        }
        assertThat(Set.copyOf(engine.movesUnderWay(100_000))).isEqualTo(Set.copyOf(model.movesUnderWay(100_000)));
        checkModes();
        Set<Place> garbage = new HashSet<>();
        for (String account : ACCOUNTS) {
            sameGarbage(account, now.plusSeconds(1)).forEach(blob -> garbage.add(new Place(blob.blob(), account)));
        }
        checkUsage();
        assertLiveBlobsAreNoGarbage(garbage);
    }

    private record Place(BlobId blob, String account) {}

    /** All live blobs of an account, page by page; pages of engines are cut where they like. */
    private static Set<LiveBlobs.LiveBlob> live(Namespace namespace, String account) {
        Set<LiveBlobs.LiveBlob> live = new HashSet<>();
        Optional<BlobId> next = Optional.empty();
        do {
            LiveBlobs page = namespace.liveBlobs(account, next.orElse(null), 50);
            for (LiveBlobs.LiveBlob blob : page.blobs()) {
                assertThat(live.add(blob)).as("listed once").isTrue();
            }
            next = page.next();
        } while (next.isPresent());
        return live;
    }

    /** The engine keeps rows of accounts of which nothing is wanted any more. */
    private void checkModes() {
        assertThat(engine.rebalance()).isEqualTo(model.rebalance());
        Map<String, AccountMode> expected = model.accountModes();
        Map<String, AccountMode> actual = engine.accountModes();
        for (String account : ACCOUNTS) {
            assertThat(actual.getOrDefault(account, AccountMode.NONE))
                    .isEqualTo(expected.getOrDefault(account, AccountMode.NONE));
        }
    }

    /** The engine keeps rows of accounts that have no blobs any more. */
    private void checkUsage() {
        Map<String, AccountUsage> expected = model.accountUsage();
        Map<String, AccountUsage> actual = engine.accountUsage();
        for (String account : ACCOUNTS) {
            assertThat(actual.getOrDefault(account, AccountUsage.NONE))
                    .isEqualTo(expected.getOrDefault(account, AccountUsage.NONE));
        }
    }

    private void assertLiveBlobsAreNoGarbage(Set<Place> garbage) {
        for (BucketName bucket : BUCKETS) {
            for (String key : KEYS) {
                if (engine.currentVersion(bucket, new ObjectKey(key))
                        instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)) {
                    List<Slice> slices = switch (version.manifest()) {
                        case Manifest.Inline(Optional<Slice> slice) ->
                            slice.stream().toList();
                        case Manifest.Stored stored ->
                            engine.slices(stored, 0, 1_000).stream()
                                    .map(ManifestSlice::slice)
                                    .toList();
                    };
                    assertThat(slices).noneMatch(slice -> garbage.contains(new Place(slice.blob(), slice.account())));
                    assertThat(slices.stream().mapToLong(Slice::lengthBytes).sum())
                            .isEqualTo(version.sizeBytes());
                }
            }
        }
    }

    // Random things

    private <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private BucketName bucket() {
        return random.nextInt(3) > 0 ? BUCKETS.getFirst() : oneOf(BUCKETS);
    }

    private ObjectKey key() {
        return new ObjectKey(oneOf(KEYS));
    }

    private String prefix() {
        String key = oneOf(KEYS);
        return key.substring(0, key.offsetByCodePoints(0, random.nextInt(key.codePointCount(0, key.length()) + 1)));
    }

    private ETag etag() {
        return new ETag("%032x".formatted(random.nextInt(1_000_000)));
    }

    private String writeId() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private Slice blob(long sizeBytes) {
        BlobId id = BlobId.of(now.getEpochSecond(), random.nextInt(BlobId.SLOTS), random.nextLong(), random.nextLong());
        seen.add(id);
        if (seen.size() > 2_000) {
            seen.removeFirst();
        }
        return new Slice(id, oneOf(ACCOUNTS), 0, sizeBytes);
    }

    private ObjectAttributes attributes() {
        Map<String, String> headers =
                random.nextBoolean() ? Map.of() : Map.of("content-type", "text/" + random.nextInt());
        Map<String, String> metadata = random.nextBoolean() ? Map.of() : Map.of("a", "→", "b", "");
        Map<String, String> tags = random.nextBoolean() ? Map.of() : Map.of("tag", "x".repeat(random.nextInt(3)));
        return new ObjectAttributes(headers, metadata, tags, oneOf(CLASSES));
    }

    private List<Checksum> checksums() {
        byte[] value = new byte[8];
        value[0] = (byte) random.nextInt();
        return random.nextBoolean()
                ? List.of()
                : List.of(new Checksum(
                        ChecksumAlgorithm.CRC64NVME,
                        Checksum.Type.FULL_OBJECT,
                        Base64.getEncoder().encodeToString(value)));
    }

    private WriteCondition condition() {
        return switch (random.nextInt(8)) {
            case 0 -> new WriteCondition.Absent();
            case 1 -> new WriteCondition.Present();
            case 2 -> new WriteCondition.Matches(Set.of(etag(), currentETag()));
            case 3 -> new WriteCondition.Differs(Set.of(etag(), currentETag()));
            default -> WriteCondition.NONE;
        };
    }

    private ETag currentETag() {
        return model.currentVersion(bucket(), key()) instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)
                ? version.etag()
                : new ETag("none");
    }

    private ReadCondition readCondition() {
        return random.nextInt(6) > 0
                ? ReadCondition.NONE
                : new ReadCondition(
                        Optional.empty(),
                        Optional.of(Set.of(Objects.requireNonNull(currentETag()))),
                        Optional.empty(),
                        Optional.empty());
    }

    private static Instant millis(Instant instant) {
        return Instant.ofEpochMilli(instant.toEpochMilli());
    }
}
