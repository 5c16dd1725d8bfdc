package io.headgate.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XmlElementTest {
    private static XmlElement parse(String document) {
        return XmlElement.parse(document.getBytes(StandardCharsets.UTF_8), "Delete");
    }

    @Test
    void elements_are_found_by_local_name_whatever_namespace_a_client_sends() {
        XmlElement delete = parse(
                "<d:Delete xmlns:d='urn:x'><!-- c --><Quiet> true </Quiet><Object><Key>a&amp;b</Key></Object></d:Delete>");
        assertThat(delete.childText("Quiet")).contains("true");
        assertThat(delete.child("Object").orElseThrow().requiredText("Key")).isEqualTo("a&b");
    }

    @Test
    void white_space_in_a_text_is_kept() {
        assertThat(parse("<Delete><Key> a\tb </Key></Delete>")
                        .child("Key")
                        .orElseThrow()
                        .text())
                .isEqualTo(" a\tb ");
    }

    @Test
    void what_the_writer_escapes_the_reader_gives_back() {
        String odd = "<&>\"'\r\n\t é😀]]>";
        byte[] document = XmlWriter.plain("Delete").element("Key", odd).end("Delete");
        assertThat(XmlElement.parse(document, "Delete")
                        .child("Key")
                        .orElseThrow()
                        .text())
                .isEqualTo(odd);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text",
                "<Delete>",
                "<Delete></Other>",
                "<Other/>",
                "<Delete/><Delete/>",
                "<Delete>&undefined;</Delete>",
                "<!DOCTYPE Delete><Delete/>",
                "<!DOCTYPE Delete [<!ENTITY a 'b'>]><Delete>&a;</Delete>",
                "<!DOCTYPE Delete SYSTEM 'file:///etc/passwd'><Delete/>",
                "<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><Delete>&a;</Delete>",
                "<Delete>\u0000</Delete>",
            })
    void what_is_not_well_formed_or_declares_a_document_type_is_malformed(String document) {
        assertMalformed(document);
    }

    @Test
    void entities_that_explode_are_refused_before_they_do() {
        StringBuilder bomb = new StringBuilder("<!DOCTYPE Delete [<!ENTITY l0 'ha'>");
        for (int i = 1; i < 30; i++) {
            bomb.append("<!ENTITY l")
                    .append(i)
                    .append(" '&l")
                    .append(i - 1)
                    .append(";&l")
                    .append(i - 1)
                    .append(";'>");
        }
        assertMalformed(bomb.append("]><Delete>&l29;</Delete>").toString());
    }

    @Test
    void a_document_nested_without_end_is_malformed() {
        assertMalformed("<Delete>".repeat(100_000));
    }

    @Test
    void a_document_of_elements_without_number_is_malformed() {
        assertMalformed("<Delete>" + "<a/>".repeat(100_000) + "</Delete>");
    }

    private static void assertMalformed(String document) {
        assertThatThrownBy(() -> parse(document))
                .isInstanceOfSatisfying(
                        S3Exception.class, thrown -> assertThat(thrown.error()).isEqualTo(S3Error.MALFORMED_XML));
    }
}
