package io.headgate.admin;

import io.headgate.http.CompletedExchange;
import io.headgate.http.Exchange.Label;
import io.headgate.http.ExchangeObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line of JSON for each request. The request's thread formats the line and queues it; a thread of the log's own writes.
 * The queue is bounded in bytes: a line that finds it full, or that the disk refuses, is dropped and counted, and the log itself says
 * how many are missing. No request ever waits for the disk. Thread-safe.
 */
public final class AccessLog implements ExchangeObserver, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);
    /** More than the names of all fields and the values of those of bounded length take. */
    private static final int FIXED_BYTES = 448;

    private static final int BATCH_BYTES = 64 * 1024;
    private static final int MAX_TEXT_CHARACTERS = 512;
    private static final int MAX_KEY_CHARACTERS = 1024;
    /** Lines reach the disk this late at most; nobody is woken for a line. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private static final Duration QUIET_AFTER_FAILURE = Duration.ofMinutes(1);

    private final WritableByteChannel destination;
    private final long maxQueuedBytes;
    private final InstantSource clock;
    private final ConcurrentLinkedQueue<JsonWriter> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong droppedLines = new AtomicLong();
    private final Thread writer;
    private final ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
    private volatile boolean closing;
    private int linesInBatch;
    /** Of the dropped lines, those that the log has told of, and those that it will have once the batch is written. */
    private long droppedSaid;

    private long droppedInBatch;
    private long quietUntilMillis;

    private AccessLog(WritableByteChannel destination, long maxQueuedBytes, InstantSource clock) {
        this.destination = destination;
        this.maxQueuedBytes = maxQueuedBytes;
        this.clock = clock;
        this.writer = Thread.ofPlatform().daemon().name("access-log").unstarted(this::writeLines);
    }

    /**
     * Starts the log.
     *
     * @param destination is given whole lines, and closed with the log
     * @param maxQueuedBytes memory that waiting lines may take
     */
    public static AccessLog start(WritableByteChannel destination, long maxQueuedBytes, InstantSource clock) {
        AccessLog log = new AccessLog(destination, maxQueuedBytes, clock);
        log.writer.start();
        return log;
    }

    @Override
    public void completed(CompletedExchange exchange) {
        JsonWriter line = format(exchange);
        long size = line.buffer().length;
        if (queuedBytes.addAndGet(size) > maxQueuedBytes) {
            queuedBytes.addAndGet(-size);
            droppedLines.incrementAndGet();
        } else {
            queue.add(line);
        }
    }

    /** Lines that were not written, since the start. */
    public long droppedLines() {
        return droppedLines.get();
    }

    /** Writes what is queued, then closes the destination. Lines that come later are lost. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(writer);
        try {
            writer.join();
            destination.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (IOException failed) {
            LOG.warn("The access log did not close in order: {}", failed.toString());
        }
    }

    static JsonWriter format(CompletedExchange exchange) {
        Map<Label, String> labels = exchange.labels();
        String agent = exchange.head().header("user-agent");
        // Room for the whole line in all but odd cases: what is queued is the writer's own buffer.
        int room = FIXED_BYTES + exchange.head().target().length() + length(labels.get(Label.KEY)) + length(agent);
        JsonWriter json = new JsonWriter(room)
                .beginObject()
                .name("time")
                .instant(exchange.receivedAt().toEpochMilli());
        text(json, "id", exchange.requestId(), MAX_TEXT_CHARACTERS);
        text(json, "remote", exchange.head().remoteAddress(), MAX_TEXT_CHARACTERS);
        text(json, "method", exchange.head().method(), MAX_TEXT_CHARACTERS);
        json.name("target");
        RedactedTarget.write(json, exchange.head().target());
        text(json, "operation", labels.get(Label.OPERATION), MAX_TEXT_CHARACTERS);
        text(json, "bucket", labels.get(Label.BUCKET), MAX_TEXT_CHARACTERS);
        text(json, "key", labels.get(Label.KEY), MAX_KEY_CHARACTERS);
        json.name("status").value(exchange.status());
        text(json, "error", labels.get(Label.ERROR_CODE), MAX_TEXT_CHARACTERS);
        json.name("bytes_in").value(exchange.receivedBytes());
        json.name("bytes_out").value(exchange.sentBytes());
        json.name("duration_ms").thousandths(micros(exchange.duration()));
        json.name("first_byte_ms").thousandths(micros(exchange.timeToFirstByte()));
        if (exchange.cutShort()) {
            json.name("cut_short").value(true);
        }
        text(json, "user", labels.get(Label.USER), MAX_TEXT_CHARACTERS);
        text(json, "region", labels.get(Label.REGION), MAX_TEXT_CHARACTERS);
        text(json, "account", labels.get(Label.ACCOUNT), MAX_TEXT_CHARACTERS);
        text(json, "agent", agent, MAX_TEXT_CHARACTERS);
        return json.endObject().endLine();
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private static long micros(Duration duration) {
        return Math.max(0, duration.toNanos() / 1000);
    }

    /** Leaves absent ones out, and cuts long ones. */
    private static void text(JsonWriter json, String name, @Nullable String text, int maxCharacters) {
        if (text != null) {
            json.name(name).beginString();
            json.piece(text, 0, Math.min(text.length(), maxCharacters)).endString();
        }
    }

    private void writeLines() {
        boolean last = false;
        while (!last) {
            last = closing; // seen before the queue is emptied, so that nothing queued before close is left
            for (JsonWriter line = queue.poll(); line != null; line = queue.poll()) {
                queuedBytes.addAndGet(-line.buffer().length);
                add(line);
            }
            sayDropped();
            flush();
            if (!last) {
                LockSupport.parkNanos(this, PAUSE.toNanos());
            }
        }
    }

    private void add(JsonWriter line) {
        if (batch.remaining() < line.length()) {
            flush();
        }
        if (batch.remaining() < line.length()) {
            droppedLines.incrementAndGet();
            return;
        }
        batch.put(line.buffer(), 0, line.length());
        linesInBatch++;
    }

    private void sayDropped() {
        long dropped = droppedLines.get();
        if (dropped > droppedSaid) {
            add(new JsonWriter(FIXED_BYTES)
                    .beginObject()
                    .name("time")
                    .instant(clock.millis())
                    .name("dropped_lines")
                    .value(dropped - droppedSaid)
                    .endObject()
                    .endLine());
            linesInBatch--;
            droppedInBatch = dropped;
        }
    }

    private void flush() {
        batch.flip();
        try {
            while (batch.hasRemaining()) {
                destination.write(batch);
            }
            droppedSaid = droppedInBatch;
        } catch (IOException failed) {
            droppedLines.addAndGet(linesInBatch);
            droppedInBatch = droppedSaid;
            long now = clock.millis();
            if (now >= quietUntilMillis) {
                quietUntilMillis = now + QUIET_AFTER_FAILURE.toMillis();
                LOG.warn("The access log cannot be written, lines are dropped: {}", failed.toString());
            }
        }
        batch.clear();
        linesInBatch = 0;
    }
}
