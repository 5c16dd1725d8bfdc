package io.headgate.work;

import java.nio.file.Path;

/** The check of a namespace of the embedded engine. */
final class SqliteFsckTest extends FsckSuite {
    @Override
    protected Site open(Path place) {
        return new Site(place);
    }
}
