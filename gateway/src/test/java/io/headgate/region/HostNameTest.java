package io.headgate.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HostNameTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final InetAddress FIRST = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress SECOND = InetAddress.ofLiteral("192.0.2.2");

    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void endLookUps() {
        over.countDown();
    }

    @Test
    void a_name_that_is_never_answered_is_given_up() {
        HostName name = new HostName("gateway.test", this::hanging);
        assertThatIOException().isThrownBy(() -> name.address(SHORT)).withMessageContaining("in time");
        assertThatIOException().isThrownBy(() -> name.address(SHORT));
        assertThat(asked).as("one look-up for all").hasValueLessThanOrEqualTo(1);
    }

    @Test
    void a_name_that_is_no_longer_answered_stands_for_the_address_it_had() throws IOException {
        HostName name = new HostName("gateway.test", host -> asked.getAndIncrement() == 0 ? FIRST : hanging(host));
        assertThat(name.address(LONG)).isEqualTo(FIRST);
        assertThat(name.address(SHORT)).isEqualTo(FIRST);
    }

    @Test
    void a_name_that_is_not_known_for_a_while_stands_for_the_address_it_had() throws IOException {
        HostName name = new HostName("gateway.test", host -> switch (asked.getAndIncrement()) {
            case 0 -> FIRST;
            case 1 -> throw new UnknownHostException(host);
            default -> SECOND;
        });
        assertThat(name.address(LONG)).isEqualTo(FIRST);
        assertThat(name.address(LONG)).isEqualTo(FIRST);
        assertThat(name.address(LONG)).as("it moved").isEqualTo(SECOND);
    }

    @Test
    void a_name_that_never_was_known_is_an_error() {
        HostName name = new HostName("gateway.test", host -> {
            throw new UnknownHostException(host);
        });
        assertThatIOException().isThrownBy(() -> name.address(LONG)).withMessageContaining("not known");
    }

    @Test
    void an_address_is_not_looked_up() throws IOException {
        for (String address : new String[] {"192.0.2.1", "::1"}) {
            assertThat(new HostName(address, this::hanging).address(LONG)).isEqualTo(InetAddress.ofLiteral(address));
        }
        assertThat(asked).hasValue(0);
    }

    private InetAddress hanging(String host) throws IOException {
        asked.incrementAndGet();
        try {
            over.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return SECOND;
    }
}
