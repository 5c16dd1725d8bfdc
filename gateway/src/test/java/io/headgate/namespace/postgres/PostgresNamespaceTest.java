package io.headgate.namespace.postgres;

import io.headgate.namespace.AddedAccountContract;
import io.headgate.namespace.AuditContract;
import io.headgate.namespace.BucketContract;
import io.headgate.namespace.GarbageContract;
import io.headgate.namespace.ListingContract;
import io.headgate.namespace.MoveContract;
import io.headgate.namespace.MultipartContract;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectContract;
import java.sql.SQLException;
import java.time.InstantSource;
import org.junit.jupiter.api.Nested;

/** The contracts, kept by the shared engine. */
final class PostgresNamespaceTest {
    private static final PostgresOptions OPTIONS = Postgres.fresh();

    private static Namespace emptied(InstantSource clock) throws SQLException {
        Postgres.empty(OPTIONS);
        return PostgresNamespace.open(OPTIONS, clock);
    }

    @Nested
    final class Buckets extends BucketContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class Objects extends ObjectContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class Listings extends ListingContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class Multipart extends MultipartContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class GarbageQueue extends GarbageContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class Moves extends MoveContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class AddedAccounts extends AddedAccountContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }

    @Nested
    final class Audits extends AuditContract {
        @Override
        protected Namespace open() throws SQLException {
            return emptied(clock);
        }

        @Override
        protected Namespace reopen() {
            return PostgresNamespace.open(OPTIONS, clock);
        }
    }
}
