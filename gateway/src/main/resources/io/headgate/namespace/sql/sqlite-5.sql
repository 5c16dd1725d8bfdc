-- From version 4 to 5: what the owners of buckets set.

ALTER TABLE buckets ADD COLUMN settings BLOB;                  -- a packed map; null if nothing is set
