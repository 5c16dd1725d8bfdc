-- Accounts that were added at run time, and the balancing of accounts.

CREATE TABLE added_accounts (
  name text COLLATE "C" PRIMARY KEY,
  definition text NOT NULL,                   -- as an entry of storage_shards, in JSON; may hold secrets
  added_at bigint NOT NULL,
  removing_since bigint                       -- null unless an administrator wants it removed
);

-- One row.
CREATE TABLE rebalance (
  id integer PRIMARY KEY,
  running boolean NOT NULL,
  moved_blobs bigint NOT NULL,                -- since it was last begun
  moved_bytes bigint NOT NULL
);
INSERT INTO rebalance (id, running, moved_blobs, moved_bytes) VALUES (1, false, 0, 0);
