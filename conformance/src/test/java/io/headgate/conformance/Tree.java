package io.headgate.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A tree of 2,000 files, the same in every run: mostly small ones as in a source tree, with odd names and a few large ones. */
final class Tree {
    static final int FILES = 2000;
    private static final int MIB = 1 << 20;
    private static final int LARGEST_SMALL_FILE_BYTES = 4096;
    private static final List<String> ODD_NAMES = List.of(
            "with space.txt",
            " leading space",
            "double  space",
            "plus+plus.txt",
            "percent%percent",
            "percent%2Fslash",
            "100%25",
            "quote'single",
            "quote\"double",
            "hash#tag",
            "question?mark",
            "ampersand&ampersand",
            "semi;colon,comma",
            "equals=equals",
            "at@at",
            "dollar$dollar",
            "exclamation!",
            "(parentheses)",
            "[brackets]",
            "{braces}",
            "tilde~tilde",
            "caret^caret",
            "back`tick",
            "pipe|pipe",
            "less<greater>",
            "colon:colon",
            "star*star",
            ".hidden",
            "..two-dots",
            "...",
            "dot-at-the-end.",
            "-dash",
            "--two-dashes",
            "ünïcödé.txt",
            "decomposed-e\u0301",
            "日本語のファイル",
            "emoji-😀🚀",
            "עברית",
            "UPPER",
            "upper",
            "no-extension",
            "a",
            "long-" + "n".repeat(200));

    private Tree() {}

    /** Writes the tree under {@code root}. */
    static void write(Path root) {
        Random random = new Random(2000);
        int files = 0;
        for (String name : ODD_NAMES) {
            write(root.resolve("odd").resolve(name), random, 100 + random.nextInt(100));
            write(root.resolve("odd names in folders").resolve(name + ".d").resolve(name), random, random.nextInt(50));
            files += 2;
        }
        int[] sizes = {0, 1, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 8 * MIB, 20 * MIB};
        for (int size : sizes) {
            write(root.resolve("sizes").resolve("bytes-" + size), random, size);
            files++;
        }
        Path deep = root.resolve("deep");
        for (int level = 0; level < 20; level++) {
            deep = deep.resolve("level-" + level);
            write(deep.resolve("file"), random, level);
            files++;
        }
        for (int i = 0; files < FILES; i++, files++) {
            Path folder = root.resolve("src").resolve("package-" + i % 23).resolve("sub-" + i % 7);
            write(folder.resolve("File" + i + ".java"), random, random.nextInt(LARGEST_SMALL_FILE_BYTES));
        }
    }

    private static void write(Path file, Random random, int size) {
        byte[] content = new byte[size];
        random.nextBytes(content);
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The SHA-256 of every file, by its path below {@code root} with slashes. */
    static SortedMap<String, String> digests(Path root) {
        SortedMap<String, String> digests = new TreeMap<>();
        for (Path file : files(root)) {
            digests.put(name(root, file), HexFormat.of().formatHex(Algorithm.hash("SHA-256", read(file))));
        }
        return digests;
    }

    /** The size of every file, by its path below {@code root} with slashes. */
    static SortedMap<String, Long> sizes(Path root) {
        SortedMap<String, Long> sizes = new TreeMap<>();
        for (Path file : files(root)) {
            sizes.put(name(root, file), file.toFile().length());
        }
        return sizes;
    }

    private static List<Path> files(Path root) {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(Files::isRegularFile).toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String name(Path root, Path file) {
        return root.relativize(file).toString();
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
