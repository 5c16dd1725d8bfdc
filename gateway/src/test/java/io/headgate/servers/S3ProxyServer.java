package io.headgate.servers;

import java.net.URI;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/** S3Proxy, an S3 service of another maker, that keeps its blobs in the memory of this JVM; started once, at its first use. */
public final class S3ProxyServer {
    public static final String REGION = "us-east-1";
    public static final String ACCESS_KEY = "TESTACCESSKEY";
    public static final String SECRET_KEY = "test-secret-key-0123456789";

    private S3ProxyServer() {}

    private static final class Running {
        static final S3Proxy SERVICE = start();
    }

    private static S3Proxy start() {
        System.setProperty("org.slf4j.simpleLogger.log.org.gaul", "warn");
        S3Proxy service = S3Proxy.builder()
                .blobStore(new TransientNio2BlobStore())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, ACCESS_KEY, SECRET_KEY)
                .build();
        try {
            service.start();
        } catch (Exception failed) {
            throw new IllegalStateException("S3Proxy does not start", failed);
        }
        return service;
    }

    /** Where it is. */
    public static URI endpoint() {
        return URI.create("http://127.0.0.1:" + Running.SERVICE.getPort());
    }
}
