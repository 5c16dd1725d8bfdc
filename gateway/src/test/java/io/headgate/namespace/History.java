package io.headgate.namespace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What clients did with one key and were told, and whether there is an order of it, in which each operation takes effect at one moment
 * between its call and its return, that explains what they were told (Herlihy and Wing's linearizability). A write of unknown outcome may
 * take effect at any time after its call, or never. The search goes from return to return and keeps what the state may be (as in
 * Lowe, "Testing for linearizability", 2017: just in time).
 */
public final class History {
    /** More possibilities than that are not looked at. */
    private static final int MOST_CONFIGURATIONS = 2_000_000;

    private final List<Operation> operations;

    History(List<Operation> operations) {
        this.operations = operations.stream()
                .sorted(Comparator.comparingLong(Operation::calledNanos))
                .toList();
    }

    /** What is asked, and the answer that would be right for a state. */
    sealed interface Action {
        /** Found that value, or null for none. */
        record Read(@Nullable String found) implements Action {}

        record Put(String value) implements Action {}

        /** If there is nothing; whether it was done. */
        record PutNew(String value, boolean done) implements Action {}

        /** If that value is there; whether it was done. */
        record Replace(String expected, String value, boolean done) implements Action {}

        /** Whether there was something. */
        record Delete(boolean existed) implements Action {}

        /** A write whose answer did not come: it did what its action says, or nothing. */
        record Unknown(Action write) implements Action {}
    }

    /** @param returnedNanos of no meaning if the outcome is unknown */
    record Operation(String client, Action action, long calledNanos, long returnedNanos) {
        boolean isUnknown() {
            return action instanceof Action.Unknown;
        }

        @Override
        public String toString() {
            return "%,15d %,15d %-12s %s"
                    .formatted(calledNanos, isUnknown() ? Long.MAX_VALUE : returnedNanos, client, action);
        }
    }

    /** The state after an action; empty if the state does not explain what the client was told. */
    private static Optional<State> after(State before, Action action) {
        return switch (action) {
            case Action.Read(String found) ->
                Objects.equals(before.value, found) ? Optional.of(before) : Optional.empty();
            case Action.Put(String value) -> Optional.of(new State(value));
            case Action.PutNew(String value, boolean done) ->
                (before.value == null) == done ? Optional.of(done ? new State(value) : before) : Optional.empty();
            case Action.Replace(String expected, String value, boolean done) ->
                expected.equals(before.value) == done
                        ? Optional.of(done ? new State(value) : before)
                        : Optional.empty();
            case Action.Delete(boolean existed) ->
                (before.value != null) == existed ? Optional.of(new State(null)) : Optional.empty();
            case Action.Unknown(Action write) -> Optional.of(unknown(before, write));
        };
    }

    /** What a write does in that state, whatever its client would have been told. */
    private static State unknown(State before, Action write) {
        return switch (write) {
            case Action.Put(String value) -> new State(value);
            case Action.PutNew(String value, boolean told) -> before.value == null ? new State(value) : before;
            case Action.Replace(String expected, String value, boolean told) ->
                expected.equals(before.value) ? new State(value) : before;
            case Action.Delete _ -> new State(null);
            case Action.Read _, Action.Unknown _ -> throw new IllegalArgumentException("not a write: " + write);
        };
    }

    private record State(@Nullable String value) {}

    /** Which of the operations under way have taken effect, and the state after them. */
    private record Configuration(BitSet done, State state) {}

    private record Event(long nanos, int operation, boolean returns) {}

    /** Empty if the history is linearizable; else why not. The key is absent at first. */
    Optional<String> violation() {
        Set<Configuration> possible = new HashSet<>(Set.of(new Configuration(new BitSet(), new State(null))));
        Set<Integer> underWay = new HashSet<>();
        for (Event event : events()) {
            if (!event.returns) {
                underWay.add(event.operation);
                continue;
            }
            possible = withEffect(possible, underWay, event.operation);
            underWay.remove(event.operation);
            if (possible.isEmpty()) {
                return Optional.of("nothing explains\n" + operations.get(event.operation) + "\nin\n" + this);
            }
            if (possible.size() > MOST_CONFIGURATIONS) {
                throw new IllegalStateException("too many possibilities to look at, in\n" + this);
            }
        }
        return Optional.empty();
    }

    private List<Event> events() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            events.add(new Event(operation.calledNanos, i, false));
            if (!operation.isUnknown()) {
                events.add(new Event(operation.returnedNanos, i, true));
            }
        }
        // At one reading of the clock calls come first: then the operations overlap, which allows more.
        events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::returns));
        return events;
    }

    /** The configurations, reached from the given ones by operations under way, in which that one has just taken effect or had before. */
    private Set<Configuration> withEffect(Set<Configuration> from, Set<Integer> underWay, int returning) {
        Set<Configuration> reached = new HashSet<>();
        Set<Configuration> seen = new HashSet<>(from);
        List<Configuration> open = new ArrayList<>(from);
        while (!open.isEmpty() && seen.size() <= MOST_CONFIGURATIONS) {
            Configuration configuration = open.removeLast();
            if (configuration.done.get(returning)) {
                BitSet rest = (BitSet) configuration.done.clone();
                rest.clear(returning);
                reached.add(new Configuration(rest, configuration.state));
                continue;
            }
            for (int next : underWay) {
                if (!configuration.done.get(next)) {
                    after(configuration.state, operations.get(next).action).ifPresent(state -> {
                        BitSet done = (BitSet) configuration.done.clone();
                        done.set(next);
                        Configuration then = new Configuration(done, state);
                        if (seen.add(then)) {
                            open.add(then);
                        }
                    });
                }
            }
        }
        if (seen.size() > MOST_CONFIGURATIONS) {
            throw new IllegalStateException("too many possibilities to look at, in\n" + this);
        }
        return reached;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("         called        returned client       action\n");
        operations.forEach(operation -> text.append(operation).append('\n'));
        return text.toString();
    }
}
