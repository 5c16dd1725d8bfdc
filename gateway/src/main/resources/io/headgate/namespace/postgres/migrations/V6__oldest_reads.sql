-- No read through the gateway looked up its version before oldest: garbage queued earlier is not being read there.
CREATE TABLE oldest_reads (
  gateway text PRIMARY KEY,
  oldest bigint NOT NULL,
  told_at bigint NOT NULL
) WITH (fillfactor = 25);
