-- Accounts that are removed although garbage waits there, as their service is gone for good.
ALTER TABLE added_accounts ADD COLUMN forget_garbage boolean NOT NULL DEFAULT false; -- with removing_since
