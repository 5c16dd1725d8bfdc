-- The namespace's tables, version 1. Times are milliseconds since 1970. Keys are UTF-8 bytes. Blob ids are 16 bytes, rotated so that
-- they order by their second of creation: new rows go to the end of the tree, not to a random page of it.

CREATE TABLE buckets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,       -- never used again, so that no row of a deleted bucket can reappear
  name TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  location TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX buckets_by_owner ON buckets (owner, name);

CREATE TABLE bucket_usage (
  bucket INTEGER PRIMARY KEY,
  objects INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);

-- The current version of each key; nothing else, so that a listing reads nothing else.
CREATE TABLE objects (
  bucket INTEGER NOT NULL,
  key BLOB NOT NULL,
  modified_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  etag TEXT NOT NULL,
  storage_class TEXT,                         -- null: STANDARD
  checksum_kind INTEGER,                      -- algorithm and type of the first checksum
  write_id BLOB NOT NULL,
  origin INTEGER NOT NULL,                    -- which kind of write made it
  attempt_hash INTEGER,
  attempt_number INTEGER,
  blob BLOB,                                  -- the bytes: one slice, or a manifest, or neither when there are none
  slice_offset INTEGER,
  slice_length INTEGER,
  manifest INTEGER,
  manifest_parts INTEGER,
  details BLOB NOT NULL,                      -- headers, metadata, tags, checksums
  PRIMARY KEY (bucket, key)
) WITHOUT ROWID;

-- Every blob that the namespace knows of. One without references is garbage: no second table can disagree.
CREATE TABLE blobs (
  id BLOB PRIMARY KEY,
  account TEXT NOT NULL,
  size INTEGER NOT NULL,
  refs INTEGER NOT NULL CHECK (refs >= 0),
  released_at INTEGER,                        -- when the latest reference went; for garbage the time it was queued
  refusal INTEGER                             -- why its write was refused; null once a version or part has had it
) WITHOUT ROWID;
CREATE INDEX garbage ON blobs (account, released_at) WHERE refs = 0;

CREATE TABLE account_usage (
  account TEXT PRIMARY KEY,
  blobs INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL,
  garbage_blobs INTEGER NOT NULL,
  garbage_bytes INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE manifests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  refs INTEGER NOT NULL CHECK (refs >= 0)
);
CREATE TABLE manifest_parts (
  manifest INTEGER NOT NULL,
  number INTEGER NOT NULL,
  object_offset INTEGER NOT NULL,
  size INTEGER NOT NULL,
  checksum BLOB,
  PRIMARY KEY (manifest, number)
) WITHOUT ROWID;
CREATE TABLE manifest_slices (
  manifest INTEGER NOT NULL,
  object_offset INTEGER NOT NULL,
  blob BLOB NOT NULL,
  slice_offset INTEGER NOT NULL,
  slice_length INTEGER NOT NULL,
  PRIMARY KEY (manifest, object_offset)
) WITHOUT ROWID;

CREATE TABLE uploads (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  bucket INTEGER NOT NULL,
  key BLOB NOT NULL,
  started_at INTEGER NOT NULL,
  owner TEXT NOT NULL,
  storage_class TEXT,
  checksum_kind INTEGER,
  details BLOB NOT NULL
);
CREATE UNIQUE INDEX uploads_by_key ON uploads (bucket, key, started_at, id);
CREATE TABLE parts (
  upload INTEGER NOT NULL,                    -- uploads.seq
  number INTEGER NOT NULL,
  size INTEGER NOT NULL,
  etag TEXT NOT NULL,
  checksum BLOB,
  modified_at INTEGER NOT NULL,
  PRIMARY KEY (upload, number)
) WITHOUT ROWID;
CREATE TABLE part_slices (
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  part_offset INTEGER NOT NULL,
  blob BLOB NOT NULL,
  slice_offset INTEGER NOT NULL,
  slice_length INTEGER NOT NULL,
  PRIMARY KEY (upload, number, part_offset)
) WITHOUT ROWID;

-- Manifests and aborted uploads whose slices are still counted: broken up in small steps once no read can need them.
CREATE TABLE orphans (
  orphaned_at INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (orphaned_at, kind, id)
) WITHOUT ROWID;

-- What a repeated command is answered with when the objects table no longer says it.
CREATE TABLE completed_uploads (
  id TEXT PRIMARY KEY,
  bucket TEXT NOT NULL,
  key BLOB NOT NULL,
  completed_at INTEGER NOT NULL,
  version BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX completed_uploads_by_time ON completed_uploads (completed_at);
CREATE TABLE replaced_writes (
  write_id BLOB PRIMARY KEY,
  replaced_at INTEGER NOT NULL,
  version BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX replaced_writes_by_time ON replaced_writes (replaced_at);

CREATE TABLE intents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gateway TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  last_stamp_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  taken INTEGER NOT NULL
);

CREATE TABLE pings (
  id INTEGER PRIMARY KEY,
  number INTEGER NOT NULL
);
