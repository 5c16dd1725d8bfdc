package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** An answer as it came over the wire, its transfer coding undone. */
record RawResponse(int status, List<RawRequest.Header> headers, byte[] body) {

    Optional<String> header(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(RawRequest.Header::value)
                .findFirst();
    }

    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The root element of the XML body. */
    Element xml() {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(body))
                    .getDocumentElement();
        } catch (SAXException malformed) {
            throw new AssertionError("Not XML: " + this, malformed);
        } catch (IOException | ParserConfigurationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The text of the first element of that name in the XML body; empty if there is none. */
    Optional<String> element(String name) {
        NodeList found = xml().getElementsByTagName(name);
        return found.getLength() == 0
                ? Optional.empty()
                : Optional.of(found.item(0).getTextContent());
    }

    /** Asserts that this is an S3 error of that status and code. */
    RawResponse assertError(int expectedStatus, String code) {
        assertThat(status).as("%s", this).isEqualTo(expectedStatus);
        assertThat(xml().getTagName()).as("%s", this).isEqualTo("Error");
        assertThat(element("Code")).as("%s", this).contains(code);
        return this;
    }

    /** Asserts that this is an S3 error of that status and one of these codes, where S3's own pages leave the choice. */
    RawResponse assertError(int expectedStatus, List<String> codes) {
        assertThat(status).as("%s", this).isEqualTo(expectedStatus);
        assertThat(element("Code").orElse("none")).as("%s", this).isIn(codes);
        return this;
    }

    RawResponse assertStatus(int expected) {
        assertThat(status).as("%s", this).isEqualTo(expected);
        return this;
    }

    @Override
    public String toString() {
        return status + " " + headers + "\n" + text();
    }
}
