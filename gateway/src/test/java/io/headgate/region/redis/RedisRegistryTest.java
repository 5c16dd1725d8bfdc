package io.headgate.region.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.domain.BucketName;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryContract;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryException;
import io.headgate.region.redis.RedisRegistryOptions.Node;
import io.headgate.servers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A single server. */
@Timeout(120)
final class RedisRegistryTest {
    private static final RegistryEntry PHOTOS = new RegistryEntry(
            new BucketName("photos"), "alice", "north", Instant.EPOCH, "claim-1", RegistryEntry.State.CLAIMED);

    private static final RedisServer SERVER = RedisServer.start();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static RedisRegistryOptions options(RedisServer server) {
        return new RedisRegistryOptions(List.of(new Node("127.0.0.1", server.port())), false, null, null);
    }

    @Nested
    final class OfAnyEngine extends RegistryContract {
        @Override
        protected Registry open() {
            return RedisRegistry.open(options(SERVER));
        }
    }

    @Test
    void scripts_that_the_server_has_forgotten_are_brought_again() {
        try (Registry registry = RedisRegistry.open(options(SERVER))) {
            registry.claim(PHOTOS);
            SERVER.tell("SCRIPT FLUSH");

            assertThat(registry.find(PHOTOS.name())).contains(PHOTOS);
            assertThat(registry.release(PHOTOS.name(), PHOTOS.claimId())).isTrue();
        }
    }

    @Test
    void it_fails_while_the_server_is_down_and_comes_back_by_itself() {
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
                Registry registry = RedisRegistry.open(options(server).withTimeout(Duration.ofMillis(500)))) {
            registry.claim(PHOTOS);
            server.kill();
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> registry.find(PHOTOS.name())).isInstanceOf(RegistryException.class);
                assertThatThrownBy(() -> registry.confirm(PHOTOS.name(), PHOTOS.claimId()))
                        .isInstanceOf(RegistryException.class);
            }

            server.startAgain();
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .untilAsserted(
                            () -> assertThat(registry.find(PHOTOS.name())).contains(PHOTOS));
            assertThat(registry.confirm(PHOTOS.name(), PHOTOS.claimId())).isTrue();
        }
    }

    @Test
    void a_server_that_asks_for_a_password_gets_it_and_nobody_else_does() {
        try (RedisServer server = RedisServer.start()) {
            server.tell("CONFIG SET requirepass s3cret");
            RedisRegistryOptions without = options(server).withTimeout(Duration.ofMillis(500));
            RedisRegistryOptions with = new RedisRegistryOptions(without.nodes(), false, null, "s3cret");

            try (Registry registry = RedisRegistry.open(without)) {
                assertThatThrownBy(() -> registry.find(PHOTOS.name())).isInstanceOf(RegistryException.class);
            }
            try (Registry registry = RedisRegistry.open(with)) {
                await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptions()
                        .untilAsserted(() -> assertThat(registry.claim(PHOTOS)).isEqualTo(new Claim.Made()));
            }
            assertThat(with.toString()).doesNotContain("s3cret");
        }
    }

    @Test
    void a_replica_is_no_place_for_it_until_it_is_promoted() {
        try (RedisServer replica = RedisServer.start()) {
            replica.tell("REPLICAOF 127.0.0.1 " + SERVER.port());

            try (Registry registry = RedisRegistry.open(options(replica).withTimeout(Duration.ofMillis(500)))) {
                assertThatThrownBy(() -> registry.find(PHOTOS.name())).isInstanceOf(RegistryException.class);

                replica.tell("REPLICAOF NO ONE");
                await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptions()
                        .untilAsserted(() -> assertThat(registry.claim(PHOTOS))
                                .isInstanceOfAny(Claim.Made.class, Claim.Taken.class));
            }
        }
    }
}
