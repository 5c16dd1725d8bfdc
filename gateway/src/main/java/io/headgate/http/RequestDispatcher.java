package io.headgate.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.headgate.http.ResponseSender.SourceFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.Graceful;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes each request from Jetty to the handler and its response back, blocking on the request's virtual thread. */
final class RequestDispatcher extends Handler.Abstract implements Graceful {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

    private final HttpServerConfig config;
    private final HttpHandler handler;
    private final ExchangeObserver observer;
    private final InstantSource clock;
    private final CopyBuffers buffers;
    private final long rateSpanNanos;
    private final AtomicLong inFlight = new AtomicLong();
    private final Graceful.Shutdown draining = new Graceful.Shutdown(this) {
        @Override
        public boolean isShutdownDone() {
            return inFlight.get() == 0;
        }
    };

    RequestDispatcher(HttpServerConfig config, HttpHandler handler, ExchangeObserver observer, InstantSource clock) {
        this.config = config;
        this.handler = handler;
        this.observer = observer;
        this.clock = clock;
        this.buffers = new CopyBuffers(config.copyBufferBytes(), config.maxCopyBuffers());
        this.rateSpanNanos = config.minRateGrace().toNanos();
    }

    long inFlight() {
        return inFlight.get();
    }

    @Override
    public CompletableFuture<Void> shutdown() {
        return draining.shutdown();
    }

    @Override
    public boolean isShutdown() {
        return draining.isShutdown();
    }

    @Override
    public boolean handle(Request request, org.eclipse.jetty.server.Response response, Callback callback) {
        inFlight.incrementAndGet();
        try {
            // A slow handler is no reason to cut the connection: only reads and writes under way can be idle.
            request.addIdleTimeoutListener(ignored -> false);
            serve(request, response, callback);
        } finally {
            inFlight.decrementAndGet();
            if (draining.isShutdown()) {
                draining.check();
            }
        }
        return true;
    }

    private void serve(Request request, org.eclipse.jetty.server.Response response, Callback callback) {
        long begunNanos = System.nanoTime();
        ServerConnection connection = (ServerConnection) request.getConnectionMetaData();
        RateFloor floor = new RateFloor(config.minBytesPerSecond(), rateSpanNanos);
        RequestBody body = new RequestBody(request, new Signal(), floor, expectsContinue(request));
        JettyExchange exchange = new JettyExchange(
                request, head(request, connection), connection.nextRequestId(), clock.instant(), body);
        ResponseSender sender = new ResponseSender(request, response, buffers, new Signal(), floor);

        Response answer = answer(exchange, connection);
        boolean closing = !body.isDrainable(request.getLength());
        Throwable failure = null;
        try {
            answer = send(sender, answer, exchange, closing);
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException e) {
            LOG.error("The response to request {} could not be written", exchange.requestId(), e);
            failure = e;
        }
        connection.requestCompleted();
        observe(new CompletedExchange(
                exchange.head(),
                exchange.requestId(),
                exchange.receivedAt(),
                exchange.labels(),
                answer.status(),
                body.receivedBytes(),
                sender.sentBytes(),
                Duration.ofNanos((sender.started() ? sender.firstByteNanos() : System.nanoTime()) - begunNanos),
                Duration.ofNanos(System.nanoTime() - begunNanos),
                failure != null || body.brokeOff()));
        complete(body, callback, closing, failure);
    }

    private static void complete(RequestBody body, Callback callback, boolean closing, @Nullable Throwable failure) {
        // If it was announced that the connection closes, the rest of the body may stay unread.
        boolean whole = failure == null && (body.linger() || closing);
        body.release();
        if (whole) {
            callback.succeeded();
        } else {
            // Cuts the connection without a word: the response is under way or cannot be sent.
            callback.failed(new Request.Handler.AbortException("The exchange broke off", failure));
        }
    }

    private Response answer(JettyExchange exchange, ServerConnection connection) {
        ErrorPage refusal = refusal(exchange.head(), connection);
        if (refusal != null) {
            return refusal.response(exchange.requestId());
        }
        try {
            return handler.handle(exchange);
        } catch (Throwable e) {
            LOG.error("Request {} failed", exchange.requestId(), e);
            return ErrorPage.INTERNAL_ERROR.response(exchange.requestId());
        }
    }

    private Response send(ResponseSender sender, Response answer, JettyExchange exchange, boolean closing)
            throws IOException {
        try {
            sender.send(answer, exchange.requestId(), closing);
            return answer;
        } catch (SourceFailedException e) {
            LOG.error("Request {} failed", exchange.requestId(), e);
            if (sender.started()) {
                throw e;
            }
            Response error = ErrorPage.INTERNAL_ERROR.response(exchange.requestId());
            sender.reset();
            sender.send(error, exchange.requestId(), closing);
            return error;
        }
    }

    private @Nullable ErrorPage refusal(RequestHead head, ServerConnection connection) {
        if (connection.target().length() > config.maxTargetBytes()) {
            return ErrorPage.TARGET_TOO_LONG;
        }
        if (head.fields().size() > config.maxHeaderFields()) {
            return ErrorPage.HEAD_TOO_LARGE;
        }
        return head.target().isEmpty() ? ErrorPage.INVALID_URI : null;
    }

    private static RequestHead head(Request request, ServerConnection connection) {
        String raw = connection.target();
        String target = RequestTarget.originForm(raw);
        return new RequestHead(
                request.getMethod(),
                target == null ? "" : target,
                JettyExchange.fields(request.getHeaders(), RequestTarget.authority(raw)),
                connection.remoteAddress());
    }

    private static boolean expectsContinue(Request request) {
        return request.getHeaders().contains(HttpHeader.EXPECT)
                && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1;
    }

    /** Answers what Jetty refuses by itself. */
    boolean handleError(Request request, org.eclipse.jetty.server.Response response, Callback callback) {
        ServerConnection connection = (ServerConnection) request.getConnectionMetaData();
        Object cause = request.getAttribute(ErrorHandler.ERROR_EXCEPTION);
        if (cause instanceof Throwable bug && !(cause instanceof HttpException)) {
            LOG.error("A request failed within the HTTP server", bug);
        }
        ErrorPage page = ErrorPage.of(response.getStatus());
        String requestId = connection.nextRequestId();
        Instant now = clock.instant();
        byte[] xml = HttpMethod.HEAD.is(request.getMethod()) ? new byte[0] : page.xml(requestId);
        response.setStatus(page.status());
        ResponseSender.addServerFields(response, requestId);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/xml");
        RequestHead head = new RequestHead(
                request.getMethod(),
                connection.target(),
                JettyExchange.fields(request.getHeaders(), null),
                connection.remoteAddress());
        connection.requestCompleted();
        response.write(true, ByteBuffer.wrap(xml), Callback.from(callback, () -> {
            observeRefused(head, requestId, now, page.status(), xml.length);
        }));
        return true;
    }

    /** Answers a head that did not come in time, past Jetty, which has nothing to say about it, and closes the connection. */
    void answerLateHead(ServerConnection connection) {
        ErrorPage page = ErrorPage.HEAD_TOO_SLOW;
        String requestId = connection.nextRequestId();
        byte[] xml = page.xml(requestId);
        byte[] head = ("HTTP/1.1 408 Request Timeout\r\nx-amz-request-id: " + requestId
                        + "\r\nServer: Headgate\r\nDate: "
                        + connection.getServer().getDateField().getValue()
                        + "\r\nContent-Type: application/xml\r\nContent-Length: " + xml.length
                        + "\r\nConnection: close\r\n\r\n")
                .getBytes(ISO_8859_1);
        connection
                .getEndPoint()
                .write(Callback.from(connection.getEndPoint()::close), ByteBuffer.wrap(head), ByteBuffer.wrap(xml));
        observeRefused(
                new RequestHead("", "", List.of(), connection.remoteAddress()),
                requestId,
                clock.instant(),
                page.status(),
                xml.length);
    }

    private void observeRefused(RequestHead head, String requestId, Instant at, int status, long sentBytes) {
        observe(new CompletedExchange(
                head, requestId, at, Map.of(), status, 0, sentBytes, Duration.ZERO, Duration.ZERO, false));
    }

    private void observe(CompletedExchange exchange) {
        try {
            observer.completed(exchange);
        } catch (RuntimeException e) {
            LOG.error("The observer of request {} failed", exchange.requestId(), e);
        }
    }
}
