package io.headgate.namespace.redis;

import java.util.List;
import java.util.Locale;

/** The tables of a backup, as engines that keep rows have them. */
enum BackupTable {
    ACCOUNT_MODES("account", "draining", "read_only", "moved_blobs", "moved_bytes"),
    ACCOUNT_USAGE("account", "blobs", "live_bytes", "garbage_blobs", "garbage_bytes"),
    ADDED_ACCOUNTS("name", "definition", "added_at", "removing_since", "forget_garbage"),
    BLOBS("id", "account", "size", "refs", "released_at", "refusal"),
    BUCKET_USAGE("bucket", "objects", "bytes"),
    BUCKETS("id", "name", "owner", "location", "created_at", "settings"),
    COMPLETED_UPLOADS("id", "bucket", "key", "completed_at", "version"),
    COPIES("id", "account", "size", "source", "released_at", "gone_at"),
    INTENTS("id", "gateway", "opened_at", "last_stamp_at", "expires_at", "taken"),
    MANIFEST_PARTS("manifest", "number", "object_offset", "size", "checksum"),
    MANIFEST_SLICES("manifest", "object_offset", "blob", "slice_offset", "slice_length"),
    MANIFESTS("id", "refs"),
    OBJECTS(
            "bucket",
            "key",
            "modified_at",
            "size",
            "etag",
            "storage_class",
            "checksum_kind",
            "write_id",
            "origin",
            "attempt_hash",
            "attempt_number",
            "blob",
            "slice_offset",
            "slice_length",
            "manifest",
            "manifest_parts",
            "details"),
    ORPHANS("orphaned_at", "kind", "id"),
    PART_SLICES("upload", "number", "part_offset", "blob", "slice_offset", "slice_length"),
    PARTS("upload", "number", "size", "etag", "checksum", "modified_at"),
    REBALANCE("id", "running", "moved_blobs", "moved_bytes"),
    REPLACED_WRITES("write_id", "replaced_at", "version"),
    SETTINGS("name", "value"),
    UPLOADS("seq", "id", "bucket", "key", "started_at", "owner", "storage_class", "checksum_kind", "details");

    /** Orphans are of one kind or the other. */
    static final int ORPHAN_MANIFEST = 0;

    static final int ORPHAN_UPLOAD = 1;

    /** The name of the only setting that every engine has. */
    static final String NAMESPACE_ID = "namespace_id";

    /** How settings begin that say among how many ranges of hashes a bucket is spread; other engines keep them and do not mind. */
    static final String HASHED = "hashed_bucket/";

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<String> columns;

    BackupTable(String... columns) {
        this.columns = List.of(columns);
    }

    String table() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<String> columns() {
        return columns;
    }
}
