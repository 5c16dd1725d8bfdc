package io.headgate.region.sql;

import io.headgate.region.RegistryException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables of the registry, whose names are no namespace's. */
final class Tables {
    private static final int VERSION = 1;

    private Tables() {}

    /** In what databases differ. */
    enum Dialect {
        SQLITE("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'registry_schema'", "COLLATE BINARY", "INTEGER"),
        POSTGRES("SELECT COUNT(to_regclass('registry_schema'))", "COLLATE \"C\"", "BIGINT");

        private final String exists;
        private final String byBytes;
        private final String number;

        Dialect(String exists, String byBytes, String number) {
            this.exists = exists;
            this.byBytes = byBytes;
            this.number = number;
        }
    }

    /**
     * Makes the tables if they are not there, in the transaction of the statement, which nobody else may be in meanwhile.
     *
     * @throws RegistryException if they are those of a newer Headgate
     */
    static void make(Statement statement, Dialect dialect) throws SQLException {
        if (number(statement, dialect.exists) == 0) {
            String text = " TEXT " + dialect.byBytes + " NOT NULL";
            statement.execute("CREATE TABLE registry_schema (version INTEGER NOT NULL)");
            statement.execute("CREATE TABLE registry_bucket (name" + text + " PRIMARY KEY, owner" + text + ", region"
                    + text + ", created_at " + dialect.number + " NOT NULL, claim_id" + text
                    + ", live INTEGER NOT NULL)");
            statement.execute("CREATE INDEX registry_bucket_owner ON registry_bucket (owner, name)");
            statement.execute("CREATE INDEX registry_bucket_region ON registry_bucket (region, name)");
            statement.execute("INSERT INTO registry_schema (version) VALUES (" + VERSION + ")");
            return;
        }
        int version = number(statement, "SELECT MAX(version) FROM registry_schema");
        if (version > VERSION) {
            throw new RegistryException("the registry was made by a newer Headgate: its schema has version " + version
                    + ", the newest known here is " + VERSION + ": upgrade this gateway");
        }
    }

    static int number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
