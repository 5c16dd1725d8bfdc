package io.headgate.namespace.sql;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import io.headgate.namespace.NamespaceSuite;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.io.TempDir;

/** The embedded engine against the model, with a look at its tables now and then. */
final class SqliteNamespaceModelTest extends NamespaceModelTest {
    @TempDir
    Path directory;

    SqliteNamespaceModelTest() {
        super(40_000);
    }

    @Override
    protected Namespace open() {
        return SqliteNamespace.open(
                directory.resolve("namespace.db"),
                clock,
                SqliteOptions.defaults()
                        .withMinPartBytes(NamespaceSuite.MIN_PART_BYTES)
                        .withFlush(false));
    }

    @Override
    protected Namespace reopen() {
        return open();
    }

    @Override
    protected void checkInside() throws SQLException {
        Tables.check(directory.resolve("namespace.db"));
    }
}
