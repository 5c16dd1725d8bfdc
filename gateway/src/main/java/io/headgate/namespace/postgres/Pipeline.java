package io.headgate.namespace.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statements that go to the server in one round trip and run there one after the other, each seeing what the ones before it did and
 * what others committed until it began. If one fails, those after it do not run.
 */
final class Pipeline {
    private final Session session;
    private final List<Step> steps = new ArrayList<>();
    private final List<@Nullable Object> arguments = new ArrayList<>();

    /** Takes a row. */
    interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    /** Takes the number of rows that a statement changed. */
    interface Count {
        void of(int rows);
    }

    private record Step(
            String sql, @Nullable RowReader rows, @Nullable Count count) {}

    Pipeline(Session session) {
        this.session = session;
    }

    Pipeline query(String sql, RowReader rows, @Nullable Object... bound) {
        return add(new Step(sql, rows, null), bound);
    }

    Pipeline update(String sql, @Nullable Object... bound) {
        return add(new Step(sql, null, null), bound);
    }

    Pipeline update(String sql, Count count, @Nullable Object... bound) {
        return add(new Step(sql, null, count), bound);
    }

    private Pipeline add(Step step, @Nullable Object... bound) {
        steps.add(step);
        for (Object argument : bound) {
            arguments.add(argument);
        }
        return this;
    }

    /** Runs what was added. */
    void run() throws SQLException {
        if (steps.isEmpty()) {
            return;
        }
        StringBuilder sql = new StringBuilder();
        for (Step step : steps) {
            sql.append(step.sql).append(";\n");
        }
        // The driver keeps the prepared statement of a text and takes it again.
        try (PreparedStatement statement = session.connection().prepareStatement(sql.toString())) {
            bind(statement, arguments);
            boolean rows = statement.execute();
            for (Step step : steps) {
                if (rows) {
                    read(statement, step);
                } else if (step.count != null) {
                    step.count.of(statement.getUpdateCount());
                }
                rows = statement.getMoreResults();
            }
        }
    }

    static void bind(PreparedStatement statement, List<@Nullable Object> arguments) throws SQLException {
        Connection connection = statement.getConnection();
        for (int i = 0; i < arguments.size(); i++) {
            Object argument = arguments.get(i);
            switch (argument) {
                case Column column -> statement.setArray(i + 1, column.toArray(connection));
                case null, default -> statement.setObject(i + 1, argument);
            }
        }
    }

    private static void read(PreparedStatement statement, Step step) throws SQLException {
        try (ResultSet result = statement.getResultSet()) {
            while (result.next()) {
                if (step.rows != null) {
                    step.rows.read(result);
                }
            }
        }
    }
}
