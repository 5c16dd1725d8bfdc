package io.headgate.app.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads the configuration's keys from a YAML document (of which JSON is a part). Works on the node graph, so that each error
 * names its line, and nothing is ever constructed but texts. The schema bounds the walk: aliases cannot blow it up.
 */
final class YamlSource {
    static final int MAX_CHARACTERS = 1 << 20;
    static final int MAX_DEPTH = 16;
    static final int MAX_ELEMENTS = 10_000;

    /** What a plain or quoted scalar is resolved to; its text is taken as it stands. */
    private static final Set<Tag> PLAIN_TAGS = Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.ENV_TAG);

    /** Kinds of account that have keys of their own, of which this build knows nothing. */
    private static final Set<String> LATER_ACCOUNT_TYPES = Set.of("gcs");

    private static final Set<String> SECTIONS = new TreeSet<>();
    private static final Set<String> LISTS = new TreeSet<>();

    static {
        for (Setting<?> setting : Settings.ALL) {
            String key = setting.key();
            for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
                if (!key.substring(0, dot).endsWith("[]")) {
                    SECTIONS.add(key.substring(0, dot));
                }
            }
            if (setting.inList()) {
                LISTS.add(setting.list());
            }
        }
    }

    private final String name;
    private final EnvironmentReferences references;
    private final Problems problems;

    /**
     * @param name of the file or variable, for errors
     * @param problems where errors go that concern single keys, which are left out then
     */
    YamlSource(String name, EnvironmentReferences references, Problems problems) {
        this.name = name;
        this.references = references;
        this.problems = problems;
    }

    /**
     * Reads a whole configuration.
     *
     * @throws ConfigException if it is none
     */
    RawConfig read(String document) throws ConfigException {
        Node root = compose(document);
        Map<String, RawValue> values = new LinkedHashMap<>();
        Map<String, List<RawConfig.Element>> lists = new LinkedHashMap<>();
        if (root != null && !isNull(root)) {
            walk(mapping(root, "the document"), "", "", values, lists);
        }
        return new RawConfig(values, lists);
    }

    /** Reads the elements of one list. */
    List<RawConfig.Element> readList(String list, String document) throws ConfigException {
        Node root = compose(document);
        if (root == null) {
            throw new ConfigException(name + ": is empty");
        }
        return elements(root, list);
    }

    /** Reads one element of a list, which stands alone or is the only one of a list. */
    RawConfig.Element readElement(String list, String document) throws ConfigException {
        Node root = compose(document);
        if (root == null) {
            throw new ConfigException(name + ": is empty");
        }
        if (!(root instanceof SequenceNode sequence)) {
            return element(root, list, "");
        }
        if (sequence.getValue().size() != 1) {
            throw new ConfigException(name + ": has " + sequence.getValue().size() + " elements, not one");
        }
        return element(sequence.getValue().getFirst(), list, "");
    }

    private void walk(
            MappingNode mapping,
            String schemaPrefix,
            String shownPrefix,
            Map<String, RawValue> values,
            Map<String, List<RawConfig.Element>> lists) {
        Map<String, Integer> seen = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            problems.check(() -> entry(tuple, schemaPrefix, shownPrefix, seen, values, lists));
        }
    }

    private void entry(
            NodeTuple tuple,
            String schemaPrefix,
            String shownPrefix,
            Map<String, Integer> seen,
            Map<String, RawValue> values,
            Map<String, List<RawConfig.Element>> lists)
            throws ConfigException {
        Node keyNode = tuple.getKeyNode();
        if (!(keyNode instanceof ScalarNode scalarKey)) {
            throw at(keyNode, shownPrefix).error("has a key that is not a plain text");
        }
        String key = schemaPrefix + scalarKey.getValue();
        String shown = shownPrefix + scalarKey.getValue();
        Origin origin = at(keyNode, shown);
        Integer earlier = seen.put(key, line(keyNode));
        if (earlier != null) {
            throw origin.error("is set already in line " + earlier);
        }
        Node value = tuple.getValueNode();
        Setting<?> setting = Settings.BY_KEY.get(key);
        if (scalarKey.getValue().indexOf('.') >= 0 || scalarKey.getValue().indexOf('[') >= 0) {
            throw at(keyNode, printable(shown)).error("is not a known key; write sections as nested mappings");
        } else if (setting != null) {
            values.put(setting.localKey(), scalar(value, origin));
        } else if (SECTIONS.contains(key)) {
            if (!isNull(value)) {
                walk(mapping(value, shown), key + ".", shown + ".", values, lists);
            }
        } else if (LISTS.contains(key)) {
            lists.put(key, elements(value, key));
        } else {
            throw at(keyNode, printable(shown)).error("is not a known key");
        }
    }

    private List<RawConfig.Element> elements(Node node, String list) throws ConfigException {
        if (!(node instanceof SequenceNode sequence) || !node.getTag().equals(Tag.SEQ)) {
            throw at(node, list).error("is not a list");
        }
        if (sequence.getValue().size() > MAX_ELEMENTS) {
            throw at(node, list).error("has more than " + MAX_ELEMENTS + " elements");
        }
        List<RawConfig.Element> elements = new ArrayList<>();
        for (int i = 0; i < sequence.getValue().size(); i++) {
            Node element = sequence.getValue().get(i);
            String shown = list + "[" + i + "]";
            problems.check(() -> elements.add(element(element, list, shown)));
        }
        return elements;
    }

    private RawConfig.Element element(Node element, String list, String shown) throws ConfigException {
        Map<String, RawValue> values = new LinkedHashMap<>();
        MappingNode mapping = mapping(element, shown);
        refuseLaterAccountType(mapping, list, shown);
        walk(mapping, list + "[].", prefix(shown), values, new HashMap<>());
        return new RawConfig.Element(at(element, shown), values);
    }

    /** Of the keys of what is shown so; an element that stands alone is not shown at all. */
    private static String prefix(String shown) {
        return shown.isEmpty() ? "" : shown + ".";
    }

    private void refuseLaterAccountType(MappingNode element, String list, String shown) throws ConfigException {
        for (NodeTuple tuple : element.getValue()) {
            if (list.equals("storage_shards")
                    && tuple.getKeyNode() instanceof ScalarNode key
                    && key.getValue().equals("type")
                    && tuple.getValueNode() instanceof ScalarNode value
                    && LATER_ACCOUNT_TYPES.contains(value.getValue())) {
                throw at(key, prefix(shown) + "type")
                        .error("accounts of the kind \"" + value.getValue()
                                + "\" are not available in this build; \"local\", \"s3\" and \"azure\" ones are");
            }
        }
    }

    private RawValue scalar(Node node, Origin origin) {
        try {
            String text = text(node, origin);
            return new RawValue(references.resolve(text, origin), text, origin, null);
        } catch (ConfigException broken) {
            problems.add(broken);
            return RawValue.broken(origin, broken);
        }
    }

    private static String text(Node node, Origin origin) throws ConfigException {
        if (!(node instanceof ScalarNode scalar)) {
            throw origin.error("is a " + (node instanceof MappingNode ? "mapping" : "list") + ", not a single value");
        }
        if (isNull(node)) {
            throw origin.error("has no value; give one, or leave the key out");
        }
        Tag tag = scalar.getTag();
        if (!PLAIN_TAGS.contains(tag)) {
            throw origin.error("has the tag " + printable(tag.getValue()) + ", which is not allowed");
        }
        return scalar.getValue();
    }

    private MappingNode mapping(Node node, String shown) throws ConfigException {
        if (node instanceof MappingNode mapping && node.getTag().equals(Tag.MAP)) {
            return mapping;
        }
        throw at(node, shown).error("is not a mapping of keys to values");
    }

    private @Nullable Node compose(String document) throws ConfigException {
        if (document.length() > MAX_CHARACTERS) {
            throw new ConfigException(name + ": is longer than " + MAX_CHARACTERS + " characters");
        }
        LoadSettings settings = LoadSettings.builder()
                .setLabel(name)
                .setCodePointLimit(MAX_CHARACTERS)
                .setUseMarks(true)
                .build();
        try {
            refuseDeepNesting(document, settings);
            return new Compose(settings).composeString(document).orElse(null);
        } catch (MarkedYamlEngineException malformed) {
            // Not its message, which quotes the line: that may hold a secret.
            int line =
                    malformed.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
            String problem = malformed.getProblem() == null ? "" : ": " + printable(malformed.getProblem());
            throw new ConfigException(name + ":" + line + ": is not well-formed YAML" + problem, malformed);
        } catch (YamlEngineException malformed) {
            throw new ConfigException(name + ": is not well-formed YAML", malformed);
        }
    }

    /** The parser is a loop, the composer a recursion: so the depth is known before the stack can overflow. */
    private void refuseDeepNesting(String document, LoadSettings settings) throws ConfigException {
        int depth = 0;
        for (Event event : new Parse(settings).parseString(document)) {
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> depth++;
                case MappingEnd, SequenceEnd -> depth--;
                case Alias, Comment, DocumentEnd, DocumentStart, Scalar, StreamEnd, StreamStart -> {}
            }
            if (depth > MAX_DEPTH) {
                int line = event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
                throw new ConfigException(name + ":" + line + ": is nested deeper than " + MAX_DEPTH);
            }
        }
    }

    private static boolean isNull(Node node) {
        return node instanceof ScalarNode && node.getTag().equals(Tag.NULL);
    }

    private Origin at(Node node, String shown) {
        return Origin.line(name, line(node), shown);
    }

    private static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    static String printable(String text) {
        String safe = text.replaceAll("\\p{Cntrl}", "?");
        return safe.length() <= 200 ? safe : safe.substring(0, 200) + "...";
    }
}
