package io.headgate.s3.op;

import io.headgate.namespace.ListedObject;
import io.headgate.namespace.ObjectPage;
import io.headgate.s3.HttpDates;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.XmlWriter;
import java.util.Optional;

/** The parts that the documents of listings share; texts that hold keys are encoded if the client asked for that. */
final class Listing {
    private final String root;
    private final boolean encodeUrl;
    private final XmlWriter xml;

    Listing(String root, boolean encodeUrl) {
        this.root = root;
        this.encodeUrl = encodeUrl;
        this.xml = XmlWriter.document(root);
    }

    /** For elements that hold no keys. */
    XmlWriter xml() {
        return xml;
    }

    /** An element that holds a key, or a part of one. */
    Listing text(String name, String text) {
        xml.element(name, encodeUrl ? PercentCoding.encodeForListing(text) : text);
        return this;
    }

    Listing optionalText(String name, String text) {
        return text.isEmpty() ? this : text(name, text);
    }

    Listing encodingType() {
        if (encodeUrl) {
            xml.element("EncodingType", "url");
        }
        return this;
    }

    /** The objects, then the common prefixes, of a page. */
    void entries(ObjectPage page, Optional<Owners.Owner> owner) {
        for (ObjectPage.Entry entry : page.entries()) {
            if (entry instanceof ObjectPage.Entry.Current(ListedObject object)) {
                object(object, owner);
            }
        }
        for (ObjectPage.Entry entry : page.entries()) {
            if (entry instanceof ObjectPage.Entry.CommonPrefix(String prefix)) {
                commonPrefix(prefix);
            }
        }
    }

    void commonPrefix(String prefix) {
        xml.open("CommonPrefixes");
        text("Prefix", prefix);
        xml.close("CommonPrefixes");
    }

    private void object(ListedObject object, Optional<Owners.Owner> owner) {
        xml.open("Contents");
        text("Key", object.key().value());
        xml.element("LastModified", HttpDates.iso(object.lastModified()))
                .element("ETag", object.etag().quoted());
        object.checksumAlgorithm().ifPresent(algorithm -> xml.element("ChecksumAlgorithm", algorithm.name()));
        object.checksumType().ifPresent(type -> xml.element("ChecksumType", type.name()));
        xml.element("Size", object.sizeBytes());
        owner.ifPresent(value -> owner("Owner", value));
        xml.element("StorageClass", object.storageClass()).close("Contents");
    }

    void owner(String element, Owners.Owner owner) {
        xml.open(element)
                .element("ID", owner.id())
                .element("DisplayName", owner.displayName())
                .close(element);
    }

    byte[] end() {
        return xml.end(root);
    }
}
