-- What the owners of buckets set: a packed map; null if nothing is set.
ALTER TABLE buckets ADD COLUMN settings bytea;
