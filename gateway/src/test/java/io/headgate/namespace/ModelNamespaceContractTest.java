package io.headgate.namespace;

import java.lang.reflect.Proxy;
import java.time.InstantSource;
import org.junit.jupiter.api.Nested;

/** The contracts, kept by the model: so that what engines are compared with is itself right. */
final class ModelNamespaceContractTest {
    private Namespace last;

    /** The model takes one call at a time; the contracts' races make many. */
    private Namespace open(InstantSource clock) {
        ModelNamespace model = new ModelNamespace(NamespaceSuite.MIN_PART_BYTES, clock);
        last = (Namespace) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, arguments) -> {
                    synchronized (model) {
                        return method.invoke(model, arguments);
                    }
                });
        return last;
    }

    @Nested
    final class Buckets extends BucketContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }

    @Nested
    final class Objects extends ObjectContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }

    @Nested
    final class Listings extends ListingContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }

    @Nested
    final class Multipart extends MultipartContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }

    @Nested
    final class GarbageQueue extends GarbageContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }

    @Nested
    final class Moves extends MoveContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }

    @Nested
    final class AddedAccounts extends AddedAccountContract {
        @Override
        protected Namespace open() {
            return ModelNamespaceContractTest.this.open(clock);
        }

        @Override
        protected Namespace reopen() {
            return last;
        }
    }
}
