package io.headgate.namespace;

import io.headgate.domain.ETag;
import io.headgate.namespace.History.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Clients of several gateways who write and read a few keys at once, and what they were told of each. */
public final class FewKeys {
    private static final int CLIENTS_OF_EACH = 3;

    /** After so many operations another key is used, so that each history stays short. */
    private static final int OPERATIONS_OF_KEY = 150;

    /** How the values of objects begin that are made by copying. */
    private static final String COPY = "copy-";

    private final List<? extends Namespace> gateways;
    private final boolean copies;
    private final Objects objects;
    private final SplittableRandom random;
    private final Map<String, Queue<History.Operation>> histories = new ConcurrentHashMap<>();
    /** What each of the few keys is called now. */
    private final List<AtomicInteger> names = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());

    private final AtomicInteger values = new AtomicInteger();

    /**
     * Makes the bucket that the keys are in.
     *
     * @param copies whether some of the objects are copies
     */
    public FewKeys(List<? extends Namespace> gateways, boolean copies, SplittableRandom random) {
        this.gateways = List.copyOf(gateways);
        this.copies = copies;
        this.objects = Objects.in(gateways.getFirst());
        this.random = random;
    }

    /** How much they were told. */
    public long operations() {
        return histories.values().stream().mapToLong(Queue::size).sum();
    }

    /** What happens meanwhile. */
    public interface Disturbance {
        void run() throws Exception;
    }

    /** Lets the clients work until the disturbance is over. */
    public void work(Disturbance disturbance) throws Exception {
        AtomicInteger over = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int g = 0; g < gateways.size(); g++) {
                for (int c = 0; c < CLIENTS_OF_EACH; c++) {
                    Namespace gateway = gateways.get(g);
                    String name = "gateway-" + g + "." + c;
                    SplittableRandom own = random.split();
                    clients.add(threads.submit(() -> {
                        while (over.get() == 0) {
                            one(gateway, name, own);
                        }
                    }));
                }
            }
            try {
                disturbance.run();
            } finally {
                over.set(1);
            }
            for (Future<?> client : clients) {
                client.get();
            }
        }
    }

    private void one(Namespace gateway, String client, SplittableRandom random) {
        int number = random.nextInt(names.size());
        int turn = names.get(number).get();
        String key = "key-" + number + "-" + turn;
        Queue<History.Operation> history = histories.computeIfAbsent(key, k -> new ConcurrentLinkedQueue<>());
        if (history.size() >= OPERATIONS_OF_KEY) {
            names.get(number).compareAndSet(turn, turn + 1);
            return;
        }
        Action plan = plan(random, history);
        long called = System.nanoTime();
        try {
            Action told = perform(gateway, key, plan);
            history.add(new History.Operation(client, told, called, System.nanoTime()));
        } catch (NamespaceException unknown) {
            if (!(plan instanceof Action.Read)) {
                history.add(new History.Operation(client, new Action.Unknown(plan), called, 0));
                names.get(number).compareAndSet(turn, turn + 1); // lest the possibilities become too many
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** What to do; the answers in it mean nothing yet. */
    private Action plan(SplittableRandom random, Queue<History.Operation> history) {
        String fresh = "v" + values.incrementAndGet();
        return switch (random.nextInt(10)) {
            case 0 -> new Action.Put(fresh);
            case 1 -> new Action.Delete(false);
            case 2 -> new Action.PutNew(fresh, false);
            case 3 -> new Action.Put(copies ? COPY + fresh : fresh);
            case 4 -> new Action.Replace(lastSeen(history).orElse(fresh), fresh, false);
            default -> new Action.Read(null);
        };
    }

    private static Optional<String> lastSeen(Queue<History.Operation> history) {
        return history.stream()
                .map(History.Operation::action)
                .<String>mapMulti((action, into) -> {
                    switch (action) {
                        case Action.Read(String found) when found != null -> into.accept(found);
                        case Action.Put(String value) -> into.accept(value);
                        default -> {
                            // tells of no value
                        }
                    }
                })
                .reduce((earlier, later) -> later);
    }

    private Action perform(Namespace gateway, String key, Action plan) {
        return switch (plan) {
            case Action.Read _ -> new Action.Read(objects.etag(gateway, key));
            case Action.Put(String value) -> {
                if (value.startsWith(COPY)) {
                    objects.put(gateway, "source-" + value, value);
                    objects.copy(gateway, "source-" + value, key);
                } else {
                    objects.put(gateway, key, value);
                }
                yield plan;
            }
            case Action.Delete _ -> new Action.Delete(objects.delete(gateway, key));
            case Action.PutNew(String value, boolean answer) ->
                new Action.PutNew(value, done(objects.put(gateway, key, value, new WriteCondition.Absent())));
            case Action.Replace(String expected, String value, boolean answer) ->
                new Action.Replace(
                        expected,
                        value,
                        done(objects.put(gateway, key, value, new WriteCondition.Matches(Set.of(new ETag(expected))))));
            case Action.Unknown _ -> throw new IllegalArgumentException("no plan: " + plan);
        };
    }

    private static boolean done(Outcome<ObjectVersion> outcome) {
        return switch (outcome) {
            case Outcome.Done<ObjectVersion> _ -> true;
            case Outcome.Refused<ObjectVersion>(Refusal reason, String detail)
            when reason == Refusal.PRECONDITION_FAILED || reason == Refusal.NO_SUCH_KEY -> false;
            case Outcome.Refused<ObjectVersion> other -> throw new AssertionError("refused: " + other);
        };
    }

    /** What no single namespace would have told them, with the history; empty if there is nothing. */
    public List<String> violations() {
        List<String> violations = new ArrayList<>();
        histories.forEach((key, operations) ->
                new History(List.copyOf(operations)).violation().ifPresent(why -> violations.add(key + ": " + why)));
        return violations;
    }
}
