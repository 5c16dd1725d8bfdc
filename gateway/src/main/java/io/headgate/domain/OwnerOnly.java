package io.headgate.domain;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** With what permissions files and directories are made that only their owner may see into: from the start, and not a moment later. */
public final class OwnerOnly {
    /** Of a file: read and written by its owner. */
    public static final FileAttribute<Set<PosixFilePermission>> FILE = attribute("rw-------");

    /** Of a directory: listed, changed and entered by its owner. */
    public static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = attribute("rwx------");

    private OwnerOnly() {}

    private static FileAttribute<Set<PosixFilePermission>> attribute(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }
}
