package io.headgate.namespace.sql;

import io.headgate.namespace.AddedAccountContract;
import io.headgate.namespace.AuditContract;
import io.headgate.namespace.BucketContract;
import io.headgate.namespace.GarbageContract;
import io.headgate.namespace.ListingContract;
import io.headgate.namespace.MoveContract;
import io.headgate.namespace.MultipartContract;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceSuite;
import io.headgate.namespace.ObjectContract;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The contracts, kept by the embedded engine. */
final class SqliteNamespaceTest {
    @TempDir
    Path directory;

    private Namespace openFile(InstantSource clock) {
        return SqliteNamespace.open(
                directory.resolve("namespace.db"),
                clock,
                SqliteOptions.defaults()
                        .withMinPartBytes(NamespaceSuite.MIN_PART_BYTES)
                        .withFlush(false));
    }

    @Nested
    final class Buckets extends BucketContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class Objects extends ObjectContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class Listings extends ListingContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class Multipart extends MultipartContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class GarbageQueue extends GarbageContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class Moves extends MoveContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class AddedAccounts extends AddedAccountContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }

    @Nested
    final class Audits extends AuditContract {
        @Override
        protected Namespace open() {
            return openFile(clock);
        }
    }
}
