-- From version 1 to 2: blobs move between accounts, and accounts have modes.

-- Copies of blobs in accounts where they do not live: made by a move that is under way, or left to be deleted, or deleted lately.
CREATE TABLE copies (
  id BLOB NOT NULL,
  account TEXT NOT NULL,
  size INTEGER NOT NULL,
  source TEXT,                                -- where the blob lived when a move began to make the copy; null for a left-over
  released_at INTEGER,                        -- null while a move is making it; garbage since then
  gone_at INTEGER,                            -- when its bytes were deleted
  PRIMARY KEY (id, account)
) WITHOUT ROWID;
CREATE INDEX moving_copies ON copies (id) WHERE released_at IS NULL;
CREATE INDEX garbage_copies ON copies (account, released_at) WHERE released_at IS NOT NULL AND gone_at IS NULL;
CREATE INDEX gone_copies ON copies (gone_at) WHERE gone_at IS NOT NULL;

CREATE TABLE account_modes (
  account TEXT PRIMARY KEY,
  draining INTEGER NOT NULL,
  read_only INTEGER NOT NULL,
  moved_blobs INTEGER NOT NULL,               -- since it was last set to drain
  moved_bytes INTEGER NOT NULL
) WITHOUT ROWID;

-- Which gateway does what only one may do at a time.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What the namespace knows of itself. Its id stands in the accounts' markers too. A database of version 1 may have it already.
CREATE TABLE IF NOT EXISTS settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
INSERT OR IGNORE INTO settings (name, value) VALUES ('namespace_id', LOWER(HEX(RANDOMBLOB(16))));
