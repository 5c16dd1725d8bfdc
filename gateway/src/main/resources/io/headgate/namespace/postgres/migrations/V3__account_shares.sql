-- What each gateway does with each account, and holds of what the account bears. Rates are per second.
CREATE TABLE account_shares (
  account text COLLATE "C" NOT NULL,
  gateway text COLLATE "C" NOT NULL,          -- a run of a gateway
  ends_at bigint NOT NULL,                    -- by the database's clock: until then it uses what it holds
  requests_held double precision NOT NULL,
  requests_wanted double precision NOT NULL,
  requests_sent double precision NOT NULL,
  ingress_held double precision NOT NULL,
  ingress_wanted double precision NOT NULL,
  egress_held double precision NOT NULL,
  egress_wanted double precision NOT NULL,
  lowered_to double precision NOT NULL,       -- requests/s that it has seen the account bear; infinity for no limit
  reserved_bytes bigint NOT NULL,
  PRIMARY KEY (account, gateway)
) WITH (fillfactor = 25);
