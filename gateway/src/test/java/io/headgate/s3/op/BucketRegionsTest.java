package io.headgate.s3.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BucketRegionsTest {
    private static final BucketName BUCKET = new BucketName("photos");

    private Instant now = Instant.parse("2026-11-30T12:00:00Z");
    private final BucketRegions regions = new BucketRegions(() -> now);
    private final List<String> looked = new ArrayList<>();

    private String region(String there) {
        return regions.of(BUCKET, () -> {
            looked.add(there);
            return there;
        });
    }

    @Test
    void a_region_is_looked_up_once_in_a_while() {
        assertThat(region("eu-west")).isEqualTo("eu-west");
        now = now.plusMillis(4_999);
        assertThat(region("eu-north")).isEqualTo("eu-west");
        now = now.plusMillis(1);
        assertThat(region("eu-north")).isEqualTo("eu-north");
        assertThat(looked).containsExactly("eu-west", "eu-north");
    }

    @Test
    void the_region_of_a_deleted_bucket_is_forgotten() {
        region("eu-west");
        regions.forget(BUCKET);

        assertThat(region("us-east")).isEqualTo("us-east");
    }

    @Test
    void a_bucket_that_is_not_there_is_looked_up_each_time() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> regions.of(BUCKET, () -> {
                        looked.add("none");
                        throw new S3Exception(S3Error.NO_SUCH_BUCKET);
                    }))
                    .isInstanceOf(S3Exception.class);
        }
        assertThat(looked).hasSize(2);
    }
}
