package io.headgate.blob.s3;

import java.util.ArrayDeque;
import java.util.Deque;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsAssumeRoleCredentialsProvider;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/** Makes the SDK's credentials of ours, and keeps what has to be closed after use. */
final class S3Identity implements AutoCloseable {
    private final Deque<SdkAutoCloseable> opened = new ArrayDeque<>();
    private final AwsCredentialsProvider provider;

    S3Identity(S3Credentials credentials, String region) {
        provider = provider(credentials, region);
    }

    AwsCredentialsProvider provider() {
        return provider;
    }

    private AwsCredentialsProvider provider(S3Credentials credentials, String region) {
        return switch (credentials) {
            case S3Credentials.Key(String accessKey, String secretKey) ->
                StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
            case S3Credentials.DefaultChain() ->
                closedLater(DefaultCredentialsProvider.builder().build());
            case S3Credentials.Role role -> closedLater(assumed(role, region));
        };
    }

    private StsAssumeRoleCredentialsProvider assumed(S3Credentials.Role role, String region) {
        StsClient sts = closedLater(StsClient.builder()
                .region(Region.of(region))
                .credentialsProvider(provider(role.by(), region))
                .httpClientBuilder(Apache5HttpClient.builder())
                .build());
        return StsAssumeRoleCredentialsProvider.builder()
                .stsClient(sts)
                .refreshRequest(request -> request.roleArn(role.arn())
                        .roleSessionName("headgate")
                        .externalId(role.externalId().orElse(null)))
                .build();
    }

    private <T extends SdkAutoCloseable> T closedLater(T closeable) {
        opened.push(closeable);
        return closeable;
    }

    @Override
    public void close() {
        opened.forEach(SdkAutoCloseable::close);
    }
}
