-- From version 3 to 4: accounts are removed although garbage waits there, as their service is gone for good.

ALTER TABLE added_accounts ADD COLUMN forget_garbage INTEGER NOT NULL DEFAULT 0; -- with removing_since
