-- KEYS: a mark
-- A write after all those that the master has done, so that WAIT waits for these too. It is kept for as long as it is of use.
call('SET', KEYS[1], '1', 'EX', 60)
return DONE
