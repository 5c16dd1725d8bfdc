package io.headgate.blob.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.blob.BlobStore;
import io.headgate.blob.Bytes;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class S3IdentityTest {
    private static final String ACCESS_KEY_PROPERTY = "aws.accessKeyId";
    private static final String SECRET_KEY_PROPERTY = "aws.secretAccessKey";

    @AfterEach
    void clear() {
        System.clearProperty(ACCESS_KEY_PROPERTY);
        System.clearProperty(SECRET_KEY_PROPERTY);
    }

    private static BlobStore store(S3Credentials credentials) {
        S3Settings known = TestService.settings(TestService.endpoint(), S3Settings.PART_BYTES);
        S3Settings settings = new S3Settings(
                known.endpoint(),
                known.region(),
                known.bucket(),
                known.prefix(),
                true,
                credentials,
                known.checksum(),
                8,
                known.stallTimeout(),
                known.partBytes());
        return new S3BlobStore("s3-1", settings, TestService.memory());
    }

    @Test
    void without_a_key_the_default_chain_finds_one() throws Exception {
        S3Credentials.Key key = (S3Credentials.Key) TestService.credentials();
        System.setProperty(ACCESS_KEY_PROPERTY, key.accessKey());
        System.setProperty(SECRET_KEY_PROPERTY, key.secretKey());
        try (BlobStore store = store(new S3Credentials.DefaultChain())) {
            store.probe(Bytes.freshId());
        }
    }

    @Test
    void a_role_is_not_taken_on_before_it_is_needed() {
        S3Credentials role = new S3Credentials.Role(
                TestService.credentials(), "arn:aws:iam::1:role/headgate", Optional.of("secret-id"));
        store(role).close();
        assertThat(role.toString()).contains("role/headgate").doesNotContain("secret-id");
        assertThat(TestService.credentials().toString()).doesNotContain("secret");
    }
}
