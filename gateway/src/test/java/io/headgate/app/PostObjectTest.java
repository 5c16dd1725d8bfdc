package io.headgate.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.config.ConfigLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Browsers' forms, sent over HTTP to a gateway, and what comes of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PostObjectTest {
    private static final Pattern READY = Pattern.compile("S3 on (http://127.0.0.1:\\d+)");
    private static final String BOUNDARY = "----WebKitFormBoundaryA1b2C3";
    private static final String CONDITIONS = """
            {"bucket": "forms"}, ["starts-with", "$key", ""], ["starts-with", "$Content-Type", ""],
            ["starts-with", "$x-amz-meta-colour", ""], ["starts-with", "$tagging", ""],
            ["starts-with", "$success_action_status", ""], ["starts-with", "$success_action_redirect", ""]""";

    private Serve serve;
    private URI endpoint;
    private S3Client s3;
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Map<String, String> environment = new HashMap<>();
        environment.put("HEADGATE_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_ADMIN_LISTEN", "127.0.0.1:0");
        environment.put("HEADGATE_DATA_DIR", directory.resolve("data").toString());
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "root");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "root-secret");
        environment.put(
                "HEADGATE_USERS", "[{\"id\": \"bob\", \"access_key\": \"bob\", \"secret_key\": \"bob-secret\"}]");
        environment.put("HEADGATE_ACCESS_LOG_DESTINATION", "off");
        serve = Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        serve.announce(new PrintStream(out, true, UTF_8));
        Matcher ready = READY.matcher(out.toString(UTF_8));
        assertThat(ready.find()).isTrue();
        endpoint = URI.create(ready.group(1));
        s3 = S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("root", "root-secret")))
                .build();
        s3.createBucket(create -> create.bucket("forms"));
    }

    @AfterAll
    void stop() {
        s3.close();
        http.close();
        serve.close();
    }

    private static String policy(String conditions) {
        String document =
                "{\"expiration\": \"" + Instant.now().plusSeconds(600) + "\", \"conditions\": [" + conditions + "]}";
        return Base64.getEncoder().encodeToString(document.getBytes(UTF_8));
    }

    private static byte[] hmac(String algorithm, byte[] key, String text) throws Exception {
        Mac mac = Mac.getInstance(algorithm);
        mac.init(new SecretKeySpec(key, algorithm));
        return mac.doFinal(text.getBytes(UTF_8));
    }

    private static Map<String, String> signed2(String user, String conditions) throws Exception {
        String policy = policy(conditions);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("AWSAccessKeyId", user);
        fields.put("policy", policy);
        byte[] signature = hmac("HmacSHA1", (user + "-secret").getBytes(UTF_8), policy);
        fields.put("signature", Base64.getEncoder().encodeToString(signature));
        return fields;
    }

    private static Map<String, String> signed4(String conditions) throws Exception {
        String time = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(Instant.now());
        String day = time.substring(0, 8);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("x-amz-algorithm", "AWS4-HMAC-SHA256");
        fields.put("x-amz-credential", "root/" + day + "/us-east-1/s3/aws4_request");
        fields.put("x-amz-date", time);
        StringBuilder all = new StringBuilder(conditions);
        fields.forEach((name, value) ->
                all.append(", {\"").append(name).append("\": \"").append(value).append("\"}"));
        fields.put("policy", policy(all.toString()));
        byte[] key = "AWS4root-secret".getBytes(UTF_8);
        for (String step : List.of(day, "us-east-1", "s3", "aws4_request")) {
            key = hmac("HmacSHA256", key, step);
        }
        fields.put("x-amz-signature", HexFormat.of().formatHex(hmac("HmacSHA256", key, fields.get("policy"))));
        return fields;
    }

    private static byte[] body(Map<String, String> fields, byte[] file, String after) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        fields.forEach((name, value) -> body.writeBytes(
                ("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n")
                        .getBytes(UTF_8)));
        body.writeBytes(("--" + BOUNDARY
                        + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"cat.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n")
                .getBytes(UTF_8));
        body.writeBytes(file);
        body.writeBytes(("\r\n--" + BOUNDARY + after).getBytes(UTF_8));
        return body.toByteArray();
    }

    private HttpResponse<String> send(String path, byte[] body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(endpoint.resolve(path))
                .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> send(Map<String, String> fields, String file)
            throws IOException, InterruptedException {
        return send("/forms", body(fields, file.getBytes(UTF_8), "--\r\n"));
    }

    private ResponseBytes<GetObjectResponse> stored(String key) {
        return s3.getObjectAsBytes(get -> get.bucket("forms").key(key));
    }

    private static String md5(byte[] bytes) throws Exception {
        return "\"" + HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes)) + "\"";
    }

    @Test
    void a_form_stores_its_file_with_what_its_fields_say() throws Exception {
        Map<String, String> fields = signed4(CONDITIONS);
        fields.put("key", "pets/${filename}");
        fields.put("Content-Type", "image/png");
        fields.put("x-amz-meta-colour", "grün");
        fields.put("tagging", "<Tagging><TagSet><Tag><Key>a b</Key><Value>1&amp;2</Value></Tag></TagSet></Tagging>");

        HttpResponse<String> answer = send(fields, "a cat");

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
        assertThat(answer.headers().firstValue("etag")).contains(md5("a cat".getBytes(UTF_8)));
        assertThat(answer.headers().firstValue("location")).contains("/forms/pets/cat.jpg");
        GetObjectResponse head = stored("pets/cat.jpg").response();
        assertThat(head.contentType()).isEqualTo("image/png");
        assertThat(head.metadata().get("colour").getBytes(ISO_8859_1)).isEqualTo("grün".getBytes(UTF_8));
        assertThat(stored("pets/cat.jpg").asUtf8String()).isEqualTo("a cat");
    }

    @Test
    void a_form_says_how_it_is_answered() throws Exception {
        Map<String, String> fields = signed2("root", CONDITIONS);
        fields.put("key", "a&b");
        assertThat(send(fields, "x").statusCode()).isEqualTo(204);
        fields.put("success_action_status", "200");
        assertThat(send(fields, "x").statusCode()).isEqualTo(200);
        fields.put("success_action_status", "404");
        assertThat(send(fields, "x").statusCode()).isEqualTo(204);
        fields.put("success_action_status", "201");
        HttpResponse<String> created = send(fields, "x");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body())
                .contains(
                        "<PostResponse>",
                        "<Location>/forms/a%26b</Location>",
                        "<Bucket>forms</Bucket>",
                        "<Key>a&amp;b</Key>",
                        "<ETag>");
        fields.put("success_action_redirect", "not an address");
        assertThat(send(fields, "x").statusCode()).isEqualTo(201);
        fields.put("success_action_redirect", "http://example.com/done?page=1#top");
        HttpResponse<String> redirected = send(fields, "x");
        assertThat(redirected.statusCode()).isEqualTo(303);
        assertThat(redirected.headers().firstValue("location"))
                .contains("http://example.com/done?page=1&bucket=forms&key=a%26b&etag=%22"
                        + md5("x".getBytes(UTF_8)).replace("\"", "") + "%22#top");
    }

    @Test
    void what_is_stored_is_what_was_sent_however_long_and_whatever_follows() throws Exception {
        Random random = new Random(5);
        String submit = "\r\nContent-Disposition: form-data; name=\"submit\"\r\n\r\nUpload\r\n--" + BOUNDARY + "--\r\n";
        for (int size : new int[] {0, 1, 65_536, 131_071, 131_072, 131_073, 700_000}) {
            for (String after : List.of("--\r\n", "--", "--\r\nepilogue", submit)) {
                byte[] file = new byte[size];
                random.nextBytes(file);
                Map<String, String> fields = signed2("root", CONDITIONS);
                fields.put("key", "any");
                fields.put(
                        "x-amz-checksum-sha256",
                        Base64.getEncoder()
                                .encodeToString(
                                        MessageDigest.getInstance("SHA-256").digest(file)));

                HttpResponse<String> answer = send("/forms", body(fields, file, after));

                assertThat(answer.statusCode())
                        .as("%s %s %s", size, after, answer.body())
                        .isEqualTo(204);
                assertThat(answer.headers().firstValue("etag")).contains(md5(file));
                assertThat(stored("any").asByteArray()).as("%s %s", size, after).isEqualTo(file);
            }
        }
    }

    @Test
    void what_is_wrong_with_a_form_is_told_and_nothing_is_stored() throws Exception {
        Map<String, String> fields = signed2("root", CONDITIONS + ", [\"content-length-range\", 2, 4]");
        refused(fields, "abc", 400, "InvalidArgument");
        fields.put("key", "never");
        refused(fields, "abcde", 400, "EntityTooLarge");
        refused(fields, "a", 400, "EntityTooSmall");
        fields.put("x-amz-checksum-sha256", Base64.getEncoder().encodeToString(new byte[32]));
        refused(fields, "abc", 400, "BadDigest");
        fields.remove("x-amz-checksum-sha256");
        fields.put("x-amz-meta-other", "x");
        refused(fields, "abc", 403, "AccessDenied");
        fields.remove("x-amz-meta-other");
        fields.put("x-amz-meta-colour", "red\r\nset-cookie: a=b");
        refused(fields, "abc", 400, "InvalidArgument");
        fields.remove("x-amz-meta-colour");
        fields.put("signature", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        refused(fields, "abc", 403, "SignatureDoesNotMatch");
        refused(new LinkedHashMap<>(Map.of("key", "never")), "abc", 403, "AccessDenied");
        Map<String, String> strangers = signed2("bob", CONDITIONS);
        strangers.put("key", "never");
        refused(strangers, "abc", 403, "AccessDenied");
        Map<String, String> invalid = signed2("root", "{}");
        invalid.put("key", "never");
        refused(invalid, "abc", 400, "InvalidPolicyDocument");

        assertThat(s3.listObjectsV2(list -> list.bucket("forms").prefix("never"))
                        .contents())
                .isEmpty();
    }

    private void refused(Map<String, String> fields, String file, int status, String code) throws Exception {
        HttpResponse<String> answer = send(fields, file);
        assertThat(answer.body()).contains("<Code>" + code + "</Code>");
        assertThat(answer.statusCode()).isEqualTo(status);
    }

    @Test
    void a_bucket_that_is_not_there_and_a_body_that_is_no_form_are_told() throws Exception {
        Map<String, String> fields =
                signed2("root", "[\"starts-with\", \"$bucket\", \"\"], [\"starts-with\", \"$key\", \"\"]");
        fields.put("key", "k");
        assertThat(send("/nowhere", body(fields, new byte[5], "--\r\n")).body()).contains("<Code>NoSuchBucket</Code>");
        assertThat(send("/forms", "nothing".getBytes(UTF_8)).body()).contains("<Code>MalformedPOSTRequest</Code>");
        byte[] cut = body(fields, new byte[200_000], "");
        assertThat(send("/forms", cut).body()).contains("<Code>MalformedPOSTRequest</Code>");
    }
}
