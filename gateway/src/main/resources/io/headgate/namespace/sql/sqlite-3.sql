-- From version 2 to 3: accounts are added at run time, and balanced.

CREATE TABLE added_accounts (
  name TEXT PRIMARY KEY,
  definition TEXT NOT NULL,                   -- as an entry of storage_shards, in JSON; may hold secrets
  added_at INTEGER NOT NULL,
  removing_since INTEGER                      -- null unless an administrator wants it removed
) WITHOUT ROWID;

-- One row.
CREATE TABLE rebalance (
  id INTEGER PRIMARY KEY,
  running INTEGER NOT NULL,
  moved_blobs INTEGER NOT NULL,               -- since it was last begun
  moved_bytes INTEGER NOT NULL
);
INSERT INTO rebalance (id, running, moved_blobs, moved_bytes) VALUES (1, 0, 0, 0);
