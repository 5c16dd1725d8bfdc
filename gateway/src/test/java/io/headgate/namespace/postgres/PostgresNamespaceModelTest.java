package io.headgate.namespace.postgres;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import java.sql.SQLException;

/** The shared engine against the model, with a look at its tables now and then. */
final class PostgresNamespaceModelTest extends NamespaceModelTest {
    private final PostgresOptions options = Postgres.fresh();

    PostgresNamespaceModelTest() {
        super(8_000);
    }

    @Override
    protected Namespace open() {
        return PostgresNamespace.open(options, clock);
    }

    @Override
    protected Namespace reopen() {
        return open();
    }

    @Override
    protected void checkInside() throws SQLException {
        Tables.check(options);
    }
}
