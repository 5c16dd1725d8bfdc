package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.cache.CacheRegister;
import io.headgate.namespace.cache.CacheState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of the cache in the database whose namespace it is before. Over connections of its own, because what is asked here decides
 * whether everybody else's questions go to the cache: it must not wait in line with them.
 */
public final class PostgresCacheRegister implements CacheRegister {
    /** A generation is not less than the time of its making, so that none comes back after the row was lost. */
    private static final String NOW_MILLIS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    private static final String MAKE = """
            INSERT INTO cache_state (generation, phase, server_id, lease_millis, longest_write_millis, failures, changed_at, not_before)
            VALUES (%s, 'off', '', ?, ?, 0, clock_timestamp(), clock_timestamp())
            ON CONFLICT (only_row) DO UPDATE SET longest_write_millis = excluded.longest_write_millis
              WHERE cache_state.longest_write_millis < excluded.longest_write_millis""".formatted(NOW_MILLIS);
    private static final String READ = """
            SELECT generation, phase, server_id, lease_millis, longest_write_millis FROM cache_state WHERE only_row""";

    /** What came at once after the cache was switched on is a failure like the one before; after a long time it is the first. */
    private static final String SWITCH_OFF = """
            UPDATE cache_state SET
              generation = GREATEST(generation + 1, %s), phase = 'stopping', changed_at = clock_timestamp(),
              failures = CASE WHEN phase = 'on' AND changed_at < clock_timestamp() - interval '10 minutes' THEN 0
                ELSE LEAST(failures + 1, 9) END,
              not_before = clock_timestamp() + (power(2, CASE WHEN phase = 'on'
                AND changed_at < clock_timestamp() - interval '10 minutes' THEN 0 ELSE failures END) * ?::bigint)
                * interval '1 millisecond'
            WHERE only_row AND generation = ? AND phase IN ('warming', 'on')""".formatted(NOW_MILLIS);

    private static final String STOPPED = """
            UPDATE cache_state SET phase = 'off', changed_at = clock_timestamp()
            WHERE only_row AND generation = ? AND phase = 'stopping'""";
    private static final String WARM = """
            UPDATE cache_state SET phase = 'warming', server_id = ?, lease_millis = ?, changed_at = clock_timestamp()
            WHERE only_row AND generation = ? AND phase = 'off' AND not_before <= clock_timestamp()
              AND NOT EXISTS (SELECT 1 FROM cache_complaints WHERE gateway <> ? AND until > clock_timestamp())""";
    private static final String START = """
            UPDATE cache_state SET phase = 'on', changed_at = clock_timestamp()
            WHERE only_row AND generation = ? AND phase = 'warming'""";
    private static final String CATCH_UP = """
            UPDATE cache_state SET
              generation = GREATEST(?::bigint + 1, %s), phase = 'stopping', changed_at = clock_timestamp()
            WHERE only_row AND generation < ?""".formatted(NOW_MILLIS);
    private static final String COMPLAIN = """
            WITH forgotten AS (DELETE FROM cache_complaints WHERE until < clock_timestamp() - interval '1 hour' AND gateway <> ?)
            INSERT INTO cache_complaints (gateway, until)
            VALUES (?, clock_timestamp() + ?::bigint * interval '1 millisecond')
            ON CONFLICT (gateway) DO UPDATE SET until = excluded.until""";
    private static final String WITHDRAW = "DELETE FROM cache_complaints WHERE gateway = ?";

    /** Before anybody has said otherwise. */
    private static final long FIRST_LEASE_MILLIS = 1_000;

    private static final int SLOT = 0;

    private final Database database;
    private final Duration longestWrite;
    private final Duration retry;

    private PostgresCacheRegister(Database database, Duration longestWrite, Duration retry) {
        this.database = database;
        this.longestWrite = longestWrite;
        this.retry = retry;
    }

    /**
     * Opens the register of a namespace that is open already.
     *
     * @param options of the namespace
     * @param longestWrite after so long no write that this gateway has begun can take effect any more
     * @param retry how soon the cache is tried again after it was switched off for the first time in a while; later each further time
     * @throws NamespaceException if the database does not answer
     */
    public static PostgresCacheRegister open(
            PostgresOptions options, InstantSource clock, Duration longestWrite, Duration retry) {
        PostgresCacheRegister register =
                new PostgresCacheRegister(new Database(options.withConnections(2), clock), longestWrite, retry);
        try {
            register.make();
            return register;
        } catch (RuntimeException failed) {
            register.close();
            throw failed;
        }
    }

    private void make() {
        change(MAKE, FIRST_LEASE_MILLIS, longestWrite.toMillis());
    }

    private void change(String sql, @Nullable Object... arguments) {
        database.write(SLOT, tx -> tx.session().update(sql, arguments));
    }

    @Override
    public CacheState read() {
        CacheState state = database.read(session -> session.first(READ, PostgresCacheRegister::state));
        if (state == null) {
            make();
            state = database.read(session -> session.first(READ, PostgresCacheRegister::state));
        }
        if (state == null) {
            throw new NamespaceException("the namespace does not know the state of its cache");
        }
        return state;
    }

    private static CacheState state(ResultSet row) throws SQLException {
        return new CacheState(
                row.getLong(1),
                CacheState.Phase.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                row.getString(3),
                Duration.ofMillis(row.getLong(4)),
                Duration.ofMillis(row.getLong(5)));
    }

    @Override
    public void switchOff(long generation) {
        change(SWITCH_OFF, retry.toMillis(), generation);
    }

    @Override
    public void stopped(long generation) {
        change(STOPPED, generation);
    }

    @Override
    public void warm(long generation, String gateway, String serverId, Duration lease) {
        change(WARM, serverId, lease.toMillis(), generation, gateway);
    }

    @Override
    public void start(long generation) {
        change(START, generation);
    }

    @Override
    public void catchUp(long newestSeen) {
        change(CATCH_UP, newestSeen, newestSeen);
    }

    @Override
    public void complain(String gateway, Duration lasting) {
        change(COMPLAIN, gateway, gateway, lasting.toMillis());
    }

    @Override
    public void withdraw(String gateway) {
        change(WITHDRAW, gateway);
    }

    @Override
    public void close() {
        database.close();
    }
}
