-- What all gateways must agree on about the cache. Times are the server's: they only pace attempts, nothing is right or wrong by them.

CREATE TABLE cache_state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  generation bigint NOT NULL,                 -- part of every key in the cache; only ever grows
  phase text NOT NULL CHECK (phase IN ('off', 'warming', 'on', 'stopping')),
  server_id text NOT NULL,                    -- the one process whose data are of this generation
  lease_millis bigint NOT NULL,               -- how long a gateway may act on what it has read here
  longest_write_millis bigint NOT NULL,       -- the longest of any gateway
  failures integer NOT NULL,                  -- how often it was switched off soon after it was on
  changed_at timestamptz NOT NULL,
  not_before timestamptz NOT NULL             -- no attempt to switch it on before
) WITH (fillfactor = 25);

-- Gateways that write and cannot use the cache's server: while there is one, the cache stays off.
CREATE TABLE cache_complaints (
  gateway text PRIMARY KEY,
  until timestamptz NOT NULL
);
