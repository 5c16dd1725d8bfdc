package io.headgate.http;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A connection that keeps the request target as it was sent, gives out request ids, and cuts heads that come too slowly.
 *
 * <p>Jetty's own idea of the target is bypassed: it normalizes and refuses more than S3 does, and its parsing costs. It sees {@code /}.
 */
final class ServerConnection extends HttpConnection {
    static final int INPUT_BUFFER_BYTES = 64 * 1024;

    private static final Set<HttpParser.State> HEAD_STATES = Collections.unmodifiableSet(EnumSet.of(
            HttpParser.State.METHOD,
            HttpParser.State.SPACE1,
            HttpParser.State.URI,
            HttpParser.State.SPACE2,
            HttpParser.State.REQUEST_VERSION,
            HttpParser.State.HEADER));
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final long headTimeoutNanos;
    private final LateHeads lateHeads;
    private final String remoteAddress;
    private long idState;
    private String target = "";
    private Scheduler.@Nullable Task headTimer;
    private long timedHead;

    /** Answers a head that did not come in time; the connection is closed afterwards. */
    interface LateHeads {
        void answer(ServerConnection connection);
    }

    ServerConnection(
            HttpConfiguration configuration,
            Connector connector,
            EndPoint endPoint,
            long headTimeoutNanos,
            long idSeed,
            LateHeads lateHeads) {
        super(configuration, connector, endPoint);
        this.headTimeoutNanos = headTimeoutNanos;
        this.idState = idSeed;
        this.lateHeads = lateHeads;
        this.remoteAddress = getRemoteSocketAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
    }

    String remoteAddress() {
        return remoteAddress;
    }

    /** The target of the request being handled, as it was sent; empty before there is one. */
    String target() {
        return target;
    }

    /** A new request id: 16 upper-case hex digits. */
    String nextRequestId() {
        idState += GOLDEN_GAMMA;
        long z = idState;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return HEX.toHexDigits(z ^ (z >>> 31));
    }

    /** Forgets the target, so that a next head that cannot be read is not taken for this one. */
    void requestCompleted() {
        target = "";
    }

    @Override
    protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
        target = uri == null ? "" : uri;
        return new OneExpectation(method, version);
    }

    @Override
    public void onFillable() {
        super.onFillable();
        if (isFillInterested() && isWithinHead()) {
            timeHead();
        }
    }

    @Override
    public void onFillInterestedFailed(Throwable cause) {
        if (cause instanceof TimeoutException && isWithinHead()) {
            getParser().close();
            lateHeads.answer(this);
        } else {
            super.onFillInterestedFailed(cause);
        }
    }

    @Override
    public void onClose(@Nullable Throwable cause) {
        cancelHeadTimer();
        super.onClose(cause);
    }

    /** Most heads come in one piece and never need a timer. */
    private void timeHead() {
        long begun = getParser().getBeginNanoTime();
        long leftNanos = headTimeoutNanos - (System.nanoTime() - begun);
        if (headTimer != null && timedHead == begun && leftNanos > 0) {
            return;
        }
        cancelHeadTimer();
        timedHead = begun;
        headTimer = getConnector()
                .getScheduler()
                .schedule(() -> expireHead(begun), Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
    }

    private void cancelHeadTimer() {
        Scheduler.Task timer = headTimer;
        if (timer != null) {
            timer.cancel();
            headTimer = null;
        }
    }

    private void expireHead(long begun) {
        if (isWithinHead()
                && getParser().getBeginNanoTime() == begun
                && getEndPoint() instanceof AbstractEndPoint end) {
            // Takes the interest in reading, so that no other thread touches the connection any more. If a thread is
            // reading at
            // this moment, it finds the time over when it is done.
            end.getFillInterest().onFail(new TimeoutException("The request head did not come in time"));
        }
    }

    private boolean isWithinHead() {
        return HEAD_STATES.contains(getParser().getState());
    }

    /**
     * Heeds the one expectation there is, 100-continue. In HTTP/1.0 it is to be ignored (RFC 9110, section 10.1.1); Jetty would answer it
     * with 100. Others are ignored too, as S3 does; Jetty would refuse them with 417. The field itself stays, as it may be signed.
     */
    private final class OneExpectation extends HttpStreamOverHTTP1 {
        private final boolean heeded;

        OneExpectation(String method, HttpVersion version) {
            super(method, "/", version);
            heeded = version != HttpVersion.HTTP_1_0;
        }

        @Override
        public void parsedHeader(HttpField field) {
            boolean ignored = field.getHeader() == HttpHeader.EXPECT
                    && !(heeded && HttpHeaderValue.CONTINUE.is(field.getValue()));
            super.parsedHeader(ignored ? new HttpField(null, field.getName(), field.getValue()) : field);
        }
    }
}
