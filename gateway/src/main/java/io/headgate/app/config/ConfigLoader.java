package io.headgate.app.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Reads the configuration: defaults, then the file, then environment variables, then flags; the later one wins. */
public final class ConfigLoader {
    /** Sets {@code storage_shards} as a whole. */
    static final String STORAGE_SHARDS_VARIABLE = "STORAGE_SHARDS";

    private static final String PREFIX = "HEADGATE_";

    /** Variables that are not keys: read by the launcher and by {@code Main}. */
    private static final List<String> OTHER_VARIABLES =
            List.of("HEADGATE_CLASS_CACHE", "HEADGATE_CONFIG", "HEADGATE_JAVA_OPTS");

    private ConfigLoader() {}

    /** A flag that sets a key of the configuration. */
    public record Flag(String name, String key, String value) {}

    /**
     * Reads and checks the configuration.
     *
     * @param file the file to read, if any; a file that is named must exist
     * @param environment the process's
     * @throws ConfigException with a line for each thing that is wrong, which names its place
     */
    public static HeadgateConfig load(Optional<Path> file, Map<String, String> environment, List<Flag> flags)
            throws ConfigException {
        EnvironmentReferences references = new EnvironmentReferences(environment);
        Problems problems = new Problems();
        RawConfig raw = RawConfig.empty();
        if (file.isPresent()) {
            raw = new YamlSource(file.get().toString(), references, problems).read(text(file.get()));
        }
        raw = raw.overriddenBy(fromEnvironment(environment, references, problems))
                .overriddenBy(fromFlags(flags));
        return new ConfigReader(raw, references, problems).read();
    }

    /** Variables that look like keys and are none, sorted: worth a warning, but not an error, as orchestrators set some. */
    public static List<String> unknownVariables(Map<String, String> environment) {
        TreeSet<String> unknown = new TreeSet<>();
        for (String variable : environment.keySet()) {
            if (variable.startsWith(PREFIX)) {
                unknown.add(variable);
            }
        }
        for (Setting<?> setting : Settings.ALL) {
            unknown.remove(variableOf(setting));
        }
        OTHER_VARIABLES.forEach(unknown::remove);
        return List.copyOf(unknown);
    }

    /** The environment variable that sets a key, or the list that holds it. */
    static String variableOf(Setting<?> setting) {
        if (!setting.inList()) {
            return setting.environmentVariable();
        }
        String list = setting.list();
        return list.equals("storage_shards") ? STORAGE_SHARDS_VARIABLE : PREFIX + list.toUpperCase(Locale.ROOT);
    }

    private static RawConfig fromEnvironment(
            Map<String, String> environment, EnvironmentReferences references, Problems problems) {
        Map<String, RawValue> values = new LinkedHashMap<>();
        Map<String, List<RawConfig.Element>> lists = new LinkedHashMap<>();
        for (Setting<?> setting : Settings.ALL) {
            String variable = variableOf(setting);
            String text = environment.getOrDefault(variable, "");
            if (text.isEmpty()) {
                continue;
            }
            if (!setting.inList()) {
                values.put(setting.key(), RawValue.literal(text, Origin.environment(variable)));
            } else if (!lists.containsKey(setting.list())) {
                YamlSource source = new YamlSource(variable, references, problems);
                problems.check(() -> lists.put(setting.list(), source.readList(setting.list(), text)));
            }
        }
        return new RawConfig(values, lists);
    }

    private static RawConfig fromFlags(List<Flag> flags) {
        Map<String, RawValue> values = new LinkedHashMap<>();
        for (Flag flag : flags) {
            values.put(flag.key(), RawValue.literal(flag.value(), new Origin(flag.name())));
        }
        return new RawConfig(values, Map.of());
    }

    private static String text(Path file) throws ConfigException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(4 * YamlSource.MAX_CHARACTERS + 1);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (NoSuchFileException missing) {
            throw new ConfigException(file + ": no such file", missing);
        } catch (CharacterCodingException malformed) {
            throw new ConfigException(file + ": is not UTF-8", malformed);
        } catch (IOException unreadable) {
            throw new ConfigException(file + ": cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }
}
