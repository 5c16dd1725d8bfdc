package io.headgate.blob.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Linux's {@code syncfs(2)}, which puts all of a file system on its disk at once: tens of microseconds a file where {@code fsync} of
 * each takes hundreds, and the JDK offers only the latter. Thread-safe.
 */
final class FileSystemSync {
    private static final int O_RDONLY = 0;

    private final MethodHandle open;
    private final MethodHandle syncfs;
    private final MethodHandle close;
    private final StructLayout callState = Linker.Option.captureStateLayout();
    private final VarHandle errno = callState.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private FileSystemSync(MethodHandle open, MethodHandle syncfs, MethodHandle close) {
        this.open = open;
        this.syncfs = syncfs;
        this.close = close;
    }

    /** Looked up once, at the first use: that takes tens of milliseconds, which a start need not wait for. */
    private static final class Holder {
        static final Optional<FileSystemSync> INSTANCE = lookUp();
    }

    /** Empty where the system has no such call, or the JVM was not given native access. */
    static Optional<FileSystemSync> ifAvailable() {
        return Holder.INSTANCE;
    }

    private static Optional<FileSystemSync> lookUp() {
        try {
            Linker linker = Linker.nativeLinker();
            if (linker.defaultLookup().find("syncfs").isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(new FileSystemSync(
                    handle(linker, "open", ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                    handle(linker, "syncfs", ValueLayout.JAVA_INT),
                    handle(linker, "close", ValueLayout.JAVA_INT)));
        } catch (IllegalCallerException | UnsupportedOperationException noNativeAccess) {
            return Optional.empty();
        }
    }

    @SuppressWarnings("restricted") // the manifest enables native access; without it the caller falls back to fsync
    private static MethodHandle handle(Linker linker, String name, ValueLayout... parameters) {
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters),
                Linker.Option.captureCallState("errno"));
    }

    /** Returns when everything written before on the file system of {@code directory} is on its disk. */
    void sync(Path directory) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(callState);
            int fd = (int) open.invokeExact(state, arena.allocateFrom(directory.toString()), O_RDONLY);
            if (fd < 0) {
                throw new IOException("open of " + directory + ": error " + (int) errno.get(state, 0L));
            }
            int result = (int) syncfs.invokeExact(state, fd);
            int error = result == 0 ? 0 : (int) errno.get(state, 0L);
            int closed = (int) close.invokeExact(state, fd);
            if (result != 0 || closed != 0) {
                throw new IOException("syncfs of " + directory + ": error " + error);
            }
        } catch (IOException | RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new IllegalStateException("a native call threw", impossible);
        }
    }
}
