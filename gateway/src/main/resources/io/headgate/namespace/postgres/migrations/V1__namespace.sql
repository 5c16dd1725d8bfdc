-- The namespace's tables, version 1. Times are milliseconds since 1970. Keys are UTF-8 bytes. Blob ids are 16 bytes, rotated so that
-- they order by their second of creation: new rows go to the end of the index, not to a random page of it.

CREATE TABLE buckets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  owner text COLLATE "C" NOT NULL,
  location text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX buckets_by_owner ON buckets (owner, name);

-- Sums in parts, one for each slot: a gateway adds to its own, so that gateways do not wait for each other.
CREATE SEQUENCE gateways;
CREATE TABLE bucket_usage (
  bucket bigint NOT NULL,
  slot integer NOT NULL,
  objects bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (bucket, slot)
) WITH (fillfactor = 25);
CREATE TABLE account_usage (
  account text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  blobs bigint NOT NULL,
  live_bytes bigint NOT NULL,
  garbage_blobs bigint NOT NULL,
  garbage_bytes bigint NOT NULL,
  PRIMARY KEY (account, slot)
) WITH (fillfactor = 25);

-- The current version of each key. Its index holds all that a listing shows, so that a page reads nothing else once the table is
-- vacuumed.
CREATE TABLE objects (
  bucket bigint NOT NULL,
  key bytea NOT NULL,
  modified_at bigint NOT NULL,
  size bigint NOT NULL,
  etag text NOT NULL,
  storage_class text,                         -- null: STANDARD
  checksum_kind integer,                      -- algorithm and type of the first checksum
  write_id bytea NOT NULL,
  origin integer NOT NULL,                    -- which kind of write made it
  attempt_hash bigint,
  attempt_number integer,
  blob bytea,                                 -- the bytes: one slice, or a manifest, or neither when there are none
  slice_offset bigint,
  slice_length bigint,
  manifest bigint,
  manifest_parts integer,
  details bytea NOT NULL,                     -- headers, metadata, tags, checksums
  PRIMARY KEY (bucket, key) INCLUDE (modified_at, size, etag, storage_class, checksum_kind)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
        autovacuum_analyze_scale_factor = 0.05);

-- Every blob that the namespace knows of. One without references is garbage: no second table can disagree.
CREATE TABLE blobs (
  id bytea PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  refs bigint NOT NULL CHECK (refs >= 0),
  released_at bigint,                         -- when the latest reference went; for garbage the time it was queued
  refusal integer                             -- why its write was refused; null once a version or part has had it
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX garbage ON blobs (account, released_at, id) WHERE refs = 0;

-- Copies of blobs in accounts where they do not live: made by a move that is under way, or left to be deleted, or deleted lately.
CREATE TABLE copies (
  id bytea NOT NULL,
  account text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  source text COLLATE "C",                    -- where the blob lived when a move began to make the copy; null for a left-over
  released_at bigint,                         -- null while a move is making it; garbage since then
  gone_at bigint,                             -- when its bytes were deleted
  PRIMARY KEY (id, account)
);
CREATE INDEX moving_copies ON copies (id) WHERE released_at IS NULL;
CREATE INDEX garbage_copies ON copies (account, released_at, id) WHERE released_at IS NOT NULL AND gone_at IS NULL;
CREATE INDEX gone_copies ON copies (gone_at) WHERE gone_at IS NOT NULL;

CREATE TABLE account_modes (
  account text COLLATE "C" PRIMARY KEY,
  draining boolean NOT NULL,
  read_only boolean NOT NULL,
  moved_blobs bigint NOT NULL,                -- since it was last set to drain
  moved_bytes bigint NOT NULL
);

-- Which gateway does what only one may do at a time.
CREATE TABLE leases (
  name text PRIMARY KEY,
  holder text NOT NULL,
  expires_at bigint NOT NULL
);

-- What the namespace knows of itself. Its id stands in the accounts' markers too.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);
INSERT INTO settings (name, value) VALUES ('namespace_id', replace(gen_random_uuid()::text, '-', ''));

CREATE TABLE manifests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  refs bigint NOT NULL CHECK (refs >= 0)
);
CREATE TABLE manifest_parts (
  manifest bigint NOT NULL,
  number integer NOT NULL,
  object_offset bigint NOT NULL,
  size bigint NOT NULL,
  checksum bytea,
  PRIMARY KEY (manifest, number)
);
CREATE TABLE manifest_slices (
  manifest bigint NOT NULL,
  object_offset bigint NOT NULL,
  blob bytea NOT NULL,
  slice_offset bigint NOT NULL,
  slice_length bigint NOT NULL,
  PRIMARY KEY (manifest, object_offset)
);

-- Upload ids are bytes too, as clients send what they like in their place.
CREATE TABLE uploads (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id bytea NOT NULL UNIQUE,
  bucket bigint NOT NULL,
  key bytea NOT NULL,
  started_at bigint NOT NULL,
  owner text NOT NULL,
  storage_class text,
  checksum_kind integer,
  details bytea NOT NULL
);
CREATE UNIQUE INDEX uploads_by_key ON uploads (bucket, key, started_at, id);
CREATE TABLE parts (
  upload bigint NOT NULL,                     -- uploads.seq
  number integer NOT NULL,
  size bigint NOT NULL,
  etag text NOT NULL,
  checksum bytea,
  modified_at bigint NOT NULL,
  PRIMARY KEY (upload, number)
);
CREATE TABLE part_slices (
  upload bigint NOT NULL,
  number integer NOT NULL,
  part_offset bigint NOT NULL,
  blob bytea NOT NULL,
  slice_offset bigint NOT NULL,
  slice_length bigint NOT NULL,
  PRIMARY KEY (upload, number, part_offset)
);

-- Manifests and aborted uploads whose slices are still counted: broken up in small steps once no read can need them.
CREATE TABLE orphans (
  orphaned_at bigint NOT NULL,
  kind integer NOT NULL,
  id bigint NOT NULL,
  PRIMARY KEY (orphaned_at, kind, id)
);

-- What a repeated command is answered with when the objects table no longer says it.
CREATE TABLE completed_uploads (
  id bytea PRIMARY KEY,
  bucket text NOT NULL,
  key bytea NOT NULL,
  completed_at bigint NOT NULL,
  version bytea NOT NULL
);
CREATE INDEX completed_uploads_by_time ON completed_uploads (completed_at);
CREATE TABLE replaced_writes (
  write_id bytea PRIMARY KEY,
  replaced_at bigint NOT NULL,
  version bytea NOT NULL
);
CREATE INDEX replaced_writes_by_time ON replaced_writes (replaced_at);

CREATE TABLE intents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  gateway text NOT NULL,
  opened_at bigint NOT NULL,
  last_stamp_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  taken boolean NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE pings (
  id integer PRIMARY KEY,
  number bigint NOT NULL
) WITH (fillfactor = 25);

-- Ends a transaction that assumed what another one has changed in between; it is then run again.
CREATE FUNCTION expect_rows(actual bigint, expected bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF actual <> expected THEN
    RAISE EXCEPTION 'another write came first' USING ERRCODE = 'serialization_failure';
  END IF;
END $$;
