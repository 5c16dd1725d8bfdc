package io.headgate.app;

import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.Secret;
import io.headgate.domain.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The directory of one gateway process, which holds it by a lock, and the secrets in it: the root user's credentials and the admin
 * API's token, each made once if the configuration does not give it.
 */
final class DataDirectory implements AutoCloseable {
    private static final String ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int UPPER_CASE = 26;
    private static final int ACCESS_KEY_CHARACTERS = 20;
    private static final int SECRET_KEY_CHARACTERS = 40;
    private static final int TOKEN_BYTES = 32;
    private static final int MAX_SECRET_FILE_BYTES = 4096;

    private final Path directory;
    private final FileChannel lockFile;

    private DataDirectory(Path directory, FileChannel lockFile) {
        this.directory = directory;
        this.lockFile = lockFile;
    }

    /** The root user's credentials, and whether they were made just now. */
    record Root(Credentials credentials, boolean made) {}

    /** Whether a gateway of that configuration keeps anything in it. */
    static boolean isNeeded(HeadgateConfig config) {
        Path directory = config.dataDir();
        boolean holdsAccounts = config.accounts().stream().anyMatch(account -> switch (account.storage()) {
            case HeadgateConfig.Storage.Local local -> local.path().startsWith(directory);
            case HeadgateConfig.Storage.S3 _, HeadgateConfig.Storage.Azure _ -> false;
        });
        boolean holdsAccessLog = config.accessLog().destination() == HeadgateConfig.LogDestination.FILE
                && config.accessLog().path().startsWith(directory);
        return config.namespace().engine() == HeadgateConfig.Engine.SQLITE
                || config.root().isEmpty()
                || config.adminToken().isEmpty()
                || holdsAccounts
                || holdsAccessLog;
    }

    /**
     * Takes hold of the directory, which is made if it does not exist.
     *
     * @throws StartException if it cannot be made or written, or another process holds it
     */
    static DataDirectory open(Path directory) throws StartException {
        try {
            // What it holds names every object, and may hold the objects.
            Files.createDirectories(directory, OwnerOnly.DIRECTORY);
        } catch (FileAlreadyExistsException file) {
            throw new StartException("the data directory " + directory + " is a file", file);
        } catch (IOException failed) {
            throw new StartException("the data directory " + directory + " cannot be made: " + failed, failed);
        }
        Path lock = directory.resolve("lock");
        try {
            FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(channel)) {
                channel.close();
                throw new StartException("another headgate holds the data directory " + directory);
            }
            return new DataDirectory(directory, channel);
        } catch (IOException failed) {
            throw new StartException("the data directory " + directory + " cannot be written: " + failed, failed);
        }
    }

    /** The lock is held until the channel is closed. */
    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException sameProcess) {
            return false;
        }
    }

    Path path() {
        return directory;
    }

    /** Where the root user's credentials are kept if they were made here. */
    Path rootCredentialsFile() {
        return rootCredentialsFile(directory);
    }

    /** The same, in a directory. */
    static Path rootCredentialsFile(Path directory) {
        return directory.resolve("root-credentials");
    }

    /** Where the admin token is kept if it was made here. */
    static Path adminTokenFile(Path directory) {
        return directory.resolve("admin-token");
    }

    /** The configured credentials, or those in the file, which is made the first time. */
    Root rootCredentials(HeadgateConfig config, RandomGenerator random) throws StartException {
        if (config.root().isPresent()) {
            return new Root(config.root().get(), false);
        }
        Path file = rootCredentialsFile();
        try {
            List<String> lines = readSecret(file).lines().toList();
            if (lines.size() != 2
                    || !lines.get(0).startsWith("access_key=")
                    || !lines.get(1).startsWith("secret_key=")) {
                throw new StartException(file + " does not hold a line access_key=... and a line secret_key=...");
            }
            String accessKey = lines.get(0).substring("access_key=".length());
            String secretKey = lines.get(1).substring("secret_key=".length());
            return new Root(new Credentials(accessKey, new Secret(secretKey)), false);
        } catch (NoSuchFileException first) {
            String accessKey = drawn(ACCESS_KEY_CHARACTERS, UPPER_CASE, random);
            String secretKey = drawn(SECRET_KEY_CHARACTERS, ALPHANUMERIC.length(), random);
            writeSecret(file, "access_key=" + accessKey + "\nsecret_key=" + secretKey + "\n");
            return new Root(new Credentials(accessKey, new Secret(secretKey)), true);
        }
    }

    /** The configured token, or that in the file, which is made the first time. */
    Secret adminToken(HeadgateConfig config, RandomGenerator random) throws StartException {
        if (config.adminToken().isPresent()) {
            return config.adminToken().get();
        }
        Path file = adminTokenFile(directory);
        try {
            return new Secret(readSecret(file).strip());
        } catch (NoSuchFileException first) {
            byte[] bytes = new byte[TOKEN_BYTES];
            random.nextBytes(bytes);
            String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            writeSecret(file, token + "\n");
            return new Secret(token);
        }
    }

    /**
     * What the file holds.
     *
     * @throws NoSuchFileException if there is none
     * @throws StartException if it cannot be read, or others than its owner can
     */
    static String readSecret(Path file) throws StartException, NoSuchFileException {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (!OwnerOnly.FILE.value().containsAll(permissions)) {
                throw new StartException(file + " can be read or changed by others than its owner (it has "
                        + PosixFilePermissions.toString(permissions) + "): make it private with chmod 600");
            }
            if (Files.size(file) > MAX_SECRET_FILE_BYTES) {
                throw new StartException(file + " is too long");
            }
            return Files.readString(file);
        } catch (NoSuchFileException missing) {
            throw missing;
        } catch (IOException failed) {
            throw new StartException(file + " cannot be read: " + failed, failed);
        }
    }

    /** The file appears whole and private, or not at all. */
    private void writeSecret(Path file, String text) throws StartException {
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(whole);
            Files.createFile(whole, OwnerOnly.FILE);
            Files.writeString(whole, text, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new StartException(file + " cannot be written: " + failed, failed);
        }
    }

    private static String drawn(int length, int alphabet, RandomGenerator random) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(ALPHANUMERIC.charAt(random.nextInt(alphabet)));
        }
        return text.toString();
    }

    /** Lets go of the directory. */
    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException ignored) {
            // The system lets go of the lock when the process ends, which it is about to.
        }
    }
}
