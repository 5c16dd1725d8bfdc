package io.headgate.s3;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Writes the small documents that S3 answers with. Not thread-safe. */
public final class XmlWriter {
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

    private final StringBuilder out;

    private XmlWriter(int capacity) {
        out = new StringBuilder(capacity).append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    }

    /** A document whose root is in S3's namespace. */
    public static XmlWriter document(String root) {
        XmlWriter writer = new XmlWriter(1024);
        writer.out
                .append('<')
                .append(root)
                .append(" xmlns=\"")
                .append(NAMESPACE)
                .append("\">");
        return writer;
    }

    /** A document whose root is in S3's namespace and holds a text. */
    public static XmlWriter documentWithText(String root, String text) {
        XmlWriter writer = document(root);
        writer.escape(text);
        return writer;
    }

    /** A document without a namespace, such as an error. */
    public static XmlWriter plain(String root) {
        return new XmlWriter(512).open(root);
    }

    public XmlWriter open(String name) {
        out.append('<').append(name).append('>');
        return this;
    }

    /** An element with attributes, in the order of their names. */
    public XmlWriter open(String name, Map<String, String> attributes) {
        out.append('<').append(name);
        new TreeMap<>(attributes).forEach((attribute, value) -> {
            out.append(' ').append(attribute).append("=\"");
            escape(value);
            out.append('"');
        });
        out.append('>');
        return this;
    }

    public XmlWriter close(String name) {
        out.append("</").append(name).append('>');
        return this;
    }

    /** An element with text. */
    public XmlWriter element(String name, String text) {
        open(name);
        escape(text);
        return close(name);
    }

    public XmlWriter element(String name, long value) {
        open(name);
        out.append(value);
        return close(name);
    }

    public XmlWriter element(String name, boolean value) {
        open(name);
        out.append(value);
        return close(name);
    }

    /** Ends the root and gives the document in UTF-8. */
    public byte[] end(String root) {
        close(root);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Escapes markup, and every control character by reference as S3 does: XML 1.0 has no way to carry most of them, which is what
     * {@code encoding-type=url} is for.
     */
    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                default -> {
                    if (c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF) {
                        out.append("&#x").append(Integer.toHexString(c)).append(';');
                    } else {
                        out.append(c);
                    }
                }
            }
        }
    }
}
