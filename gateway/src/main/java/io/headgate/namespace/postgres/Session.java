package io.headgate.namespace.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection, with or without an open transaction. Each call is one round trip. For one thread at a time. */
final class Session {
    private static final String TRANSACTION_ID = "SELECT pg_current_xact_id()::text";

    private static final int ROWS_AT_ONCE = 1_000;

    private final Connection connection;
    private final boolean writing;
    private @Nullable String transactionId;

    /** Reads the current row of a result. */
    interface Row<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    /** @param writing whether a transaction is open in which rows change */
    Session(Connection connection, boolean writing) {
        this.connection = connection;
        this.writing = writing;
    }

    Connection connection() {
        return connection;
    }

    /** The id of the open transaction, by which the server can say later what became of it; null before its first statement. */
    @Nullable String transactionId() {
        return transactionId;
    }

    /** Several statements that go to the server together. */
    Pipeline pipeline() {
        Pipeline pipeline = new Pipeline(this);
        if (writing && transactionId == null) {
            pipeline.query(TRANSACTION_ID, row -> transactionId = row.getString(1));
        }
        return pipeline;
    }

    /** Runs a statement that returns no rows; returns how many rows it changed. */
    int update(String sql, @Nullable Object... arguments) throws SQLException {
        int[] changed = new int[1];
        pipeline().update(sql, count -> changed[0] = count, arguments).run();
        return changed[0];
    }

    /** The first row, or null. */
    <T extends @Nullable Object> @Nullable T first(String sql, Row<T> row, @Nullable Object... arguments)
            throws SQLException {
        List<T> all = all(sql, row, arguments);
        return all.isEmpty() ? null : all.getFirst();
    }

    /** Reads the rows of a long result one after the other, while a transaction is open. */
    void each(String sql, Pipeline.RowReader rows, @Nullable Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setFetchSize(ROWS_AT_ONCE);
            Pipeline.bind(statement, Arrays.asList(arguments));
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.read(result);
                }
            }
        }
    }

    /** All rows. */
    <T extends @Nullable Object> List<T> all(String sql, Row<T> row, @Nullable Object... arguments)
            throws SQLException {
        List<T> all = new ArrayList<>();
        pipeline().query(sql, result -> all.add(row.read(result)), arguments).run();
        return all;
    }
}
