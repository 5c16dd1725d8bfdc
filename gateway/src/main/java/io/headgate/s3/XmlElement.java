package io.headgate.s3;

import java.io.ByteArrayInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of a request's XML: its local name (clients differ in the namespace they send), its own text, and its children in order.
 * Document type declarations and entities are refused.
 */
public record XmlElement(String name, String text, List<XmlElement> children) {
    /** Deeper than any document S3 accepts. */
    private static final int MAX_DEPTH = 16;

    /** More than any document S3 accepts: 10,000 parts of a few elements each. Bounds the memory that a document takes. */
    private static final int MAX_ELEMENTS = 80_000;

    private static final XMLInputFactory FACTORY = factory();

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, true);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }

    private static final class Open {
        final String name;
        final StringBuilder text = new StringBuilder();
        final List<XmlElement> children = new ArrayList<>();

        Open(String name) {
            this.name = name;
        }
    }

    /**
     * Parses a document.
     *
     * @throws S3Exception MalformedXML if it is not well-formed, has a document type, or its root is not {@code root}
     */
    public static XmlElement parse(byte[] document, String root) {
        try {
            XMLStreamReader reader = FACTORY.createXMLStreamReader(new ByteArrayInputStream(document));
            try {
                XmlElement parsed = parse(reader);
                if (parsed.name.equals(root)) {
                    return parsed;
                }
            } finally {
                reader.close();
            }
        } catch (XMLStreamException malformed) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        throw new S3Exception(S3Error.MALFORMED_XML, "The root element must be " + root);
    }

    private static XmlElement parse(XMLStreamReader reader) throws XMLStreamException {
        Deque<Open> open = new ArrayDeque<>();
        XmlElement root = null;
        int elements = 0;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    if (open.size() == MAX_DEPTH || ++elements > MAX_ELEMENTS) {
                        throw new S3Exception(S3Error.MALFORMED_XML, "The document has too many elements");
                    }
                    open.push(new Open(reader.getLocalName()));
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    Open ended = open.pop();
                    XmlElement element = new XmlElement(ended.name, ended.text.toString(), ended.children);
                    if (open.isEmpty()) {
                        root = element;
                    } else {
                        open.peek().children.add(element);
                    }
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (!open.isEmpty()) {
                        open.peek().text.append(reader.getText());
                    }
                }
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
                    throw new S3Exception(S3Error.MALFORMED_XML, "Document types and entities are not accepted");
                default -> {
                    // comments, processing instructions and white space outside the root say nothing
                }
            }
        }
        if (root == null) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        return root;
    }

    /** The text of the first child of that name, trimmed. */
    public Optional<String> childText(String child) {
        return child(child).map(element -> element.text.strip());
    }

    /** The first child of that name. */
    public Optional<XmlElement> child(String child) {
        return children.stream().filter(element -> element.name.equals(child)).findFirst();
    }

    /** The text of the child of that name, trimmed; MalformedXML if there is none. */
    public String requiredText(String child) {
        return childText(child).orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML, "<" + child + "> is missing"));
    }
}
