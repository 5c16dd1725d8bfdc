package io.headgate.blob;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes up for carriers that are stuck in a read of a disk that hangs, which the JDK does not do: as long as such reads last, the
 * scheduler of virtual threads has as many carriers more. A thread of the platform looks 20 times a second; the reads themselves pay for
 * no more than a mark ({@link DirectReads}). Thread-safe.
 */
public final class CarrierWatch implements AutoCloseable {
    /** From this age on a read hangs, as far as its carrier is concerned. A healthy disk under load comes near it now and then. */
    static final Duration SLOW = Duration.ofMillis(100);

    private static final long LOOK_MILLIS = 50;
    /** The JDK's scheduler takes at most 256 carriers. */
    private static final int MAX_EXTRA = 128;

    private static final Logger LOG = LoggerFactory.getLogger(CarrierWatch.class);

    private final List<DirectReads> accounts = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicBoolean nudged = new AtomicBoolean(true);
    private int extra;

    public CarrierWatch() {
        Thread.ofPlatform().daemon().name("headgate-carriers").start(this::lookAgainAndAgain);
    }

    /** Of an account, watched from now on. */
    DirectReads readsOf(String account) {
        DirectReads reads = new DirectReads(account, SLOW.toNanos());
        accounts.add(reads);
        return reads;
    }

    void forget(DirectReads reads) {
        accounts.remove(reads);
    }

    @Override
    public void close() {
        closed.countDown();
    }

    private void lookAgainAndAgain() {
        try {
            while (!closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            provide(0);
        }
    }

    private void look() {
        long now = System.nanoTime();
        int stuck = 0;
        for (DirectReads reads : accounts) {
            stuck += reads.look(now);
        }
        provide(Math.min(stuck, MAX_EXTRA));
    }

    private void provide(int carriers) {
        if (carriers != extra) {
            VirtualThreadSchedulerMXBean scheduler =
                    ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
            scheduler.setParallelism(scheduler.getParallelism() + carriers - extra);
            if (extra == 0) {
                LOG.warn("reads hang on a disk and hold up {} threads: as many more run now", carriers);
            } else if (carriers == 0) {
                LOG.info("no read hangs on a disk any more");
            }
            if (carriers > extra) {
                nudged.set(false);
            }
            extra = carriers;
        }
        if (!nudged.get()) {
            nudge();
        }
    }

    /**
     * A scheduler whose carriers were all stuck starts another only when it is handed work, and not by a thread whose earlier work still
     * waits: so it is handed some by a fresh one, until it does it.
     */
    private void nudge() {
        Thread.ofPlatform()
                .daemon()
                .name("headgate-nudge")
                .start(() -> Thread.startVirtualThread(() -> nudged.set(true)));
    }
}
