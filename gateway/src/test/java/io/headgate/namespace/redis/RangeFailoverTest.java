package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.redis.RangeMoves.Step;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisCluster.Node;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A master is killed in the middle of a split while clients write: the split goes on with its replica, or is undone. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(240)
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RangeFailoverTest {
    private final RandomGenerator random = RandomGenerator.of("Random");
    private final AtomicReference<Optional<Kill>> next = new AtomicReference<>(Optional.empty());

    /** The master of the slot dies after the step. */
    private record Kill(Step step, int slot) {}

    @Test
    void masters_are_killed_in_the_middle_of_splits_while_clients_write() throws Exception {
        try (RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "4000");
                Writers writers = new Writers(cluster);
                RedisNamespace mover = RedisNamespace.open(
                        Writers.options(cluster, Duration.ofSeconds(60)),
                        InstantSource.system(),
                        random,
                        step -> kill(cluster, step))) {
            writers.whileWriting(() -> {
                for (Step step : List.of(Step.COPIED, Step.FROZEN, Step.CUT, Step.OPENED)) {
                    RangeMove move = move(cluster, mover);
                    boolean target = random.nextBoolean(); // one of both a run, as each fail-over takes seconds
                    int slot = (target ? move.target() : move.source()).slot();
                    next.set(Optional.of(new Kill(step, slot)));
                    mover.rangeMoves().move(move);
                    mover.rangeMoves().recover();
                    assertThat(next.get()).as("killed after %s", step).isEmpty();
                    writers.awaitWrites();
                }
            });
        }
    }

    private void kill(RedisCluster cluster, Step step) {
        Optional<Kill> kill = next.get();
        if (kill.isPresent() && kill.get().step == step) {
            next.set(Optional.empty());
            Node master = cluster.masterOf(kill.get().slot);
            cluster.kill(master);
            cluster.masterOf(kill.get().slot);
            cluster.startAgain(master); // as the replica that writes wait for
        }
    }

    /** Of a range of some keys, half of it, or all if it cannot be halved, to a slot of another master. */
    private RangeMove move(RedisCluster cluster, RedisNamespace mover) {
        RangeMap map = Objects.requireNonNull(mover.buckets().load(Writers.BUCKET));
        List<Range> ranges = List.copyOf(map.all());
        Range range = ranges.get(random.nextInt(ranges.size()));
        byte[] border = ("writer-" + random.nextInt(6) + "/2").getBytes(US_ASCII);
        boolean splits = range.holds(border) && !Arrays.equals(border, range.low());
        int slot = random.nextInt(Slots.COUNT);
        while (cluster.masterOf(slot).equals(cluster.masterOf(range.slot()))) {
            slot = random.nextInt(Slots.COUNT);
        }
        String id = Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
        return new RangeMove(
                Writers.BUCKET,
                range,
                range.movedTo(
                        id,
                        slot,
                        splits ? border : range.low(),
                        InstantSource.system().instant()));
    }
}
