package io.headgate.namespace.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node by its address: the link to it, and what is thought of it. Thread-safe. */
final class Node {
    private final String name;
    private final Supplier<CompletableFuture<Link>> connect;
    private final Patience answers;
    private final Patience replicas;

    private @Nullable CompletableFuture<Link> link;

    /** @param patience how long it may fail before it is given up: in that time its slots must have got another master, if they can */
    Node(String name, Supplier<CompletableFuture<Link>> connect, Duration patience) {
        this.name = name;
        this.connect = connect;
        answers = new Patience(patience);
        replicas = new Patience(patience);
    }

    /** Whether it answers. */
    Patience answers() {
        return answers;
    }

    /** Whether as many replicas as are waited for have what it does. */
    Patience replicas() {
        return replicas;
    }

    /** Open, or about to be. */
    synchronized CompletableFuture<Link> link() {
        CompletableFuture<Link> known = link;
        if (known == null || (known.isDone() && !isOpen(known))) {
            if (known != null && !known.isCompletedExceptionally()) {
                known.join().close(); // half of it may be open
            }
            known = connect.get();
            link = known;
        }
        return known;
    }

    /** It is too long in coming: whoever comes next tries another. */
    synchronized void giveUp(CompletableFuture<Link> late) {
        if (link == late) {
            CompletableFuture<Void> unused = late.thenAccept(Link::close);
            link = null;
        }
    }

    private static boolean isOpen(CompletableFuture<Link> link) {
        return !link.isCompletedExceptionally() && link.join().isOpen();
    }

    synchronized void close() {
        if (link != null) {
            CompletableFuture<Void> unused = link.thenAccept(Link::close);
            link = null;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
