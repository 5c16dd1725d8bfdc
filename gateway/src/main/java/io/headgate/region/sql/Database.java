package io.headgate.region.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Where the registry's tables are. Thread-safe; methods throw {@link io.headgate.region.RegistryException} when it does not answer. */
interface Database extends AutoCloseable {

    /** Reads, or changes rows in one statement; run again after a failure, so it must be such that it takes effect once. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    <T> T read(Work<T> work);

    <T> T write(Work<T> work);

    @Override
    void close();
}
