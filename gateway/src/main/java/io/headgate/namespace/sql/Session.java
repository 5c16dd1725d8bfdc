package io.headgate.namespace.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection with its statements, each prepared once. For one thread at a time. */
final class Session implements AutoCloseable {
    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    /** Reads the current row of a result. */
    interface Row<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    Session(Connection connection) {
        this.connection = connection;
    }

    /** Runs a statement that returns no rows; returns how many rows it changed. */
    int update(String sql, @Nullable Object... arguments) throws SQLException {
        return bound(sql, arguments).executeUpdate();
    }

    /** The first row, or null. The statement runs to its end before this returns. */
    <T extends @Nullable Object> @Nullable T first(String sql, Row<T> row, @Nullable Object... arguments)
            throws SQLException {
        try (ResultSet rows = bound(sql, arguments).executeQuery()) {
            return rows.next() ? row.read(rows) : null;
        }
    }

    /** All rows. */
    <T> List<T> all(String sql, Row<T> row, @Nullable Object... arguments) throws SQLException {
        try (ResultSet rows = bound(sql, arguments).executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(row.read(rows));
            }
            return all;
        }
    }

    /** The rows one by one; to be closed before the same statement is run again. */
    ResultSet open(String sql, @Nullable Object... arguments) throws SQLException {
        return bound(sql, arguments).executeQuery();
    }

    private PreparedStatement bound(String sql, @Nullable Object... arguments) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        return statement;
    }

    @Override
    public void close() throws SQLException {
        statements.clear();
        connection.close();
    }
}
