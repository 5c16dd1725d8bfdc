package io.headgate.region.sql;

import io.headgate.domain.BucketName;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryEntry.State;
import io.headgate.region.RegistryException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The registry in one table, which the gateways of one machine share as an SQLite file, and those of many in PostgreSQL. */
public final class SqlRegistry implements Registry {
    private static final String COLUMNS = "name, owner, region, created_at, claim_id, live";
    private static final String INSERT =
            "INSERT INTO registry_bucket (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING";
    private static final String CONFIRM = "UPDATE registry_bucket SET live = 1 WHERE name = ? AND claim_id = ?";
    private static final String TAKE = """
            UPDATE registry_bucket SET owner = ?, region = ?, created_at = ?, claim_id = ?, live = ?
            WHERE name = ? AND claim_id = ?""";
    private static final String RELEASE = "DELETE FROM registry_bucket WHERE name = ? AND claim_id = ?";
    private static final String FIND = "SELECT " + COLUMNS + " FROM registry_bucket WHERE name = ?";
    private static final String OF_OWNER = "SELECT " + COLUMNS + " FROM registry_bucket"
            + " WHERE owner = ? AND live = 1 AND name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?";
    private static final String OF_REGION =
            "SELECT " + COLUMNS + " FROM registry_bucket WHERE region = ? AND name > ? ORDER BY name LIMIT ?";

    /** Sorts after every character of a bucket's name. */
    private static final String AFTER_ALL_NAMES = "~";

    /** Of a name that others take and release all the time. */
    private static final int MOST_TRIES = 10;

    private final Database database;

    private SqlRegistry(Database database) {
        this.database = database;
    }

    /**
     * Opens the registry in a file, which is made if it is not there; several processes of one machine may have it open.
     *
     * @param timeout how long to wait for what another process is writing
     * @throws RegistryException if the file cannot be opened, is another database, or one of a newer Headgate
     */
    public static SqlRegistry sqlite(Path file, Duration timeout) {
        return new SqlRegistry(SqliteFile.open(file, timeout));
    }

    /**
     * Opens the registry in a PostgreSQL database, whose table is made if it is not there; a database of a namespace will do. If it cannot be
     * reached now, that is done at its first use.
     *
     * @throws RegistryException if its table is one of a newer Headgate
     */
    public static SqlRegistry postgres(PostgresRegistryOptions options) {
        return new SqlRegistry(PostgresDatabase.open(options));
    }

    @Override
    public Claim claim(RegistryEntry wanted) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Optional<Claim> claim = database.write(connection -> claim(connection, wanted));
            if (claim.isPresent()) {
                return claim.get();
            }
        }
        throw new RegistryException("others take and release the name " + wanted.name() + " all the time");
    }

    /** Empty if the name was released between the two statements. */
    private static Optional<Claim> claim(Connection connection, RegistryEntry wanted) throws SQLException {
        int inserted = update(
                connection,
                INSERT,
                wanted.name().value(),
                wanted.owner(),
                wanted.region(),
                wanted.createdAt().toEpochMilli(),
                wanted.claimId(),
                live(wanted));
        if (inserted > 0) {
            return Optional.of(new Claim.Made());
        }
        return find(connection, wanted.name())
                .map(by -> by.claimId().equals(wanted.claimId()) ? new Claim.Made() : new Claim.Taken(by));
    }

    @Override
    public boolean confirm(BucketName name, String claimId) {
        return database.write(connection -> update(connection, CONFIRM, name.value(), claimId) > 0);
    }

    @Override
    public boolean take(RegistryEntry old, RegistryEntry with) {
        return database.write(connection -> update(
                                connection,
                                TAKE,
                                with.owner(),
                                with.region(),
                                with.createdAt().toEpochMilli(),
                                with.claimId(),
                                live(with),
                                old.name().value(),
                                old.claimId())
                        > 0
                || find(connection, old.name())
                        .filter(by -> by.claimId().equals(with.claimId()))
                        .isPresent());
    }

    @Override
    public boolean release(BucketName name, String claimId) {
        return database.write(connection -> update(connection, RELEASE, name.value(), claimId) > 0);
    }

    @Override
    public Optional<RegistryEntry> find(BucketName name) {
        return database.read(connection -> find(connection, name));
    }

    @Override
    public List<RegistryEntry> ofOwner(String owner, String prefix, String after, int limit) {
        return database.read(
                connection -> all(connection, OF_OWNER, owner, after, prefix, prefix + AFTER_ALL_NAMES, limit));
    }

    @Override
    public List<RegistryEntry> ofRegion(String region, String after, int limit) {
        return database.read(connection -> all(connection, OF_REGION, region, after, limit));
    }

    private static Optional<RegistryEntry> find(Connection connection, BucketName name) throws SQLException {
        return all(connection, FIND, name.value()).stream().findFirst();
    }

    private static int live(RegistryEntry entry) {
        return entry.isLive() ? 1 : 0;
    }

    private static int update(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, arguments);
            return statement.executeUpdate();
        }
    }

    private static List<RegistryEntry> all(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, arguments);
            try (ResultSet rows = statement.executeQuery()) {
                List<RegistryEntry> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(new RegistryEntry(
                            new BucketName(rows.getString(1)),
                            rows.getString(2),
                            rows.getString(3),
                            Instant.ofEpochMilli(rows.getLong(4)),
                            rows.getString(5),
                            rows.getInt(6) == 1 ? State.LIVE : State.CLAIMED));
                }
                return all;
            }
        }
    }

    private static void bind(PreparedStatement statement, Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
