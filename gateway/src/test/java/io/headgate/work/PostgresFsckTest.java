package io.headgate.work;

import io.headgate.account.Limits;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresNamespace;
import java.nio.file.Path;

/** The check of a namespace in a PostgreSQL database. */
final class PostgresFsckTest extends FsckSuite {
    @Override
    protected Site open(Path place) {
        return new Site(place, store -> store, Limits.NONE, clock -> PostgresNamespace.open(Postgres.fresh(), clock));
    }
}
