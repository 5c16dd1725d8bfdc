package io.headgate.namespace.postgres;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of one type, bound together as an array: a column of the rows that a statement unnests. */
final class Column {
    private final Type type;
    private final List<@Nullable Object> values = new ArrayList<>();

    private enum Type {
        TEXT("text"),
        BIGINT("int8"),
        INTEGER("int4"),
        BOOLEAN("bool"),
        DOUBLE("float8"),
        BYTES("bytea");

        private final String name;

        Type(String name) {
            this.name = name;
        }
    }

    private Column(Type type) {
        this.type = type;
    }

    /** A column of a type of the server's, by the server's name. */
    static Column of(String name) {
        for (Type type : Type.values()) {
            if (type.name.equals(name)) {
                return new Column(type);
            }
        }
        throw new IllegalArgumentException("a column of type " + name);
    }

    static Column text() {
        return new Column(Type.TEXT);
    }

    static Column bigint() {
        return new Column(Type.BIGINT);
    }

    static Column integer() {
        return new Column(Type.INTEGER);
    }

    static Column doubles() {
        return new Column(Type.DOUBLE);
    }

    static Column bytes() {
        return new Column(Type.BYTES);
    }

    Column add(@Nullable Object value) {
        values.add(value);
        return this;
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    int size() {
        return values.size();
    }

    Array toArray(Connection connection) throws SQLException {
        Object[] array = switch (type) {
            case TEXT -> new String[values.size()];
            case BIGINT -> new Long[values.size()];
            case INTEGER -> new Integer[values.size()];
            case BOOLEAN -> new Boolean[values.size()];
            case DOUBLE -> new Double[values.size()];
            case BYTES -> new byte[values.size()][];
        };
        return connection.createArrayOf(type.name, values.toArray(array));
    }
}
