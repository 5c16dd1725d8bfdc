package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.WriteCondition;
import io.headgate.region.Deaths.Died;
import io.headgate.region.Registry;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryException;
import io.headgate.region.sql.SqlRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buckets are made and deleted across the registry and a namespace, gateways die on the way, and upkeep comes after them. */
@Timeout(120)
final class RegistryUpkeepTest {
    private static final BucketName PHOTOS = new BucketName("photos");

    @TempDir
    Path directory;

    private final MovedClock clock = new MovedClock();
    private final AtomicInteger claims = new AtomicInteger();
    private final List<Leases> leases = new ArrayList<>();
    private Registry registry;
    private RegionSite north;
    private RegionSite south;

    @BeforeEach
    void open() {
        registry = SqlRegistry.sqlite(directory.resolve("registry.db"), Duration.ofSeconds(30));
        north = region("north");
        south = region("south");
    }

    private RegionSite region(String name) {
        return new RegionSite(directory, name, registry, clock, () -> "claim-" + claims.incrementAndGet(), leases);
    }

    @AfterEach
    void close() {
        north.close();
        south.close();
        registry.close();
    }

    private RegistryEntry entry() {
        return registry.find(PHOTOS).orElseThrow();
    }

    private void put(RegionSite site, BucketName bucket) {
        Outcome<?> put = site.namespace.putObject(new PutObject(
                bucket,
                new ObjectKey("key"),
                UUID.randomUUID().toString(),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                0,
                new ETag("00000000000000000000000000000000"),
                List.of(),
                Optional.empty(),
                WriteCondition.NONE,
                0,
                Optional.empty(),
                clock.instant()));
        assertThat(put).isInstanceOf(Outcome.Done.class);
    }

    private static void assertRefused(Outcome<?> outcome, Refusal reason) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason));
    }

    /** What must be so when all is settled. */
    private static void assertTrue(RegionSite... sites) {
        for (RegionSite site : sites) {
            assertThat(site.entries()).extracting(RegistryEntry::name).isEqualTo(site.buckets());
            assertThat(site.entries()).allSatisfy(entry -> {
                assertThat(entry.isLive()).isTrue();
                assertThat(site.namespace.bucket(entry.name()).orElseThrow().owner())
                        .isEqualTo(entry.owner());
            });
            assertThat(site.upkeep.conflicts()).isEmpty();
        }
    }

    @Test
    void a_name_that_one_region_has_no_other_gets() {
        BucketClaim made = north.create(PHOTOS, "alice");
        assertThat(made.made()).isTrue();

        BucketClaim others = south.create(PHOTOS, "bob");
        assertThat(others.made()).isFalse();
        assertThat(others.bucket().owner()).isEqualTo("alice");
        BucketClaim own = south.create(PHOTOS, "alice");
        assertThat(own.made()).isFalse();
        assertThat(own.bucket().owner()).isEqualTo("alice");
        assertThat(north.create(PHOTOS, "alice")).isEqualTo(new BucketClaim(made.bucket(), false));
        assertRefused(south.delete(PHOTOS), Refusal.NO_SUCH_BUCKET);

        assertThat(south.buckets()).isEmpty();
        assertThat(entry().region()).isEqualTo("north");
        assertTrue(north, south);
    }

    @Test
    void of_many_who_make_a_bucket_at_once_in_two_regions_one_does() throws Exception {
        for (int round = 0; round < 5; round++) {
            BucketName name = new BucketName("photos-" + round);
            List<Callable<BucketClaim>> makers = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                RegionSite site = i % 2 == 0 ? north : south;
                String owner = i % 8 < 6 ? "alice" : "bob";
                makers.add(() -> site.create(name, owner));
            }
            List<BucketClaim> claims = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (Future<BucketClaim> claim : threads.invokeAll(makers)) {
                    claims.add(claim.get());
                }
            }

            assertThat(claims).filteredOn(BucketClaim::made).hasSize(1);
            assertThat(claims)
                    .extracting(claim -> claim.bucket().owner())
                    .containsOnly(registry.find(name).orElseThrow().owner());
            assertTrue(north, south);
        }
    }

    @Test
    void a_bucket_that_is_deleted_may_be_made_in_another_region() {
        north.create(PHOTOS, "alice");
        put(north, PHOTOS);
        assertRefused(north.delete(PHOTOS), Refusal.BUCKET_NOT_EMPTY);
        assertThat(south.create(PHOTOS, "bob").made()).isFalse();

        assertRefused(north.delete(new BucketName("nobodys")), Refusal.NO_SUCH_BUCKET);
        north.namespace.deleteObjects(
                PHOTOS, List.of(new DeleteObject(new ObjectKey("key"), WriteCondition.NONE)), clock.instant());
        assertThat(north.delete(PHOTOS)).isInstanceOf(Outcome.Done.class);

        assertThat(south.create(PHOTOS, "bob").made()).isTrue();
        assertThat(entry().region()).isEqualTo("south");
        assertTrue(north, south);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whenever_a_gateway_dies_that_makes_a_bucket_the_name_has_one_in_the_end_or_is_free(boolean afterTheCall) {
        int steps = dyingAtEachCall(afterTheCall, name -> {}, RegistryUpkeepTest::diesMaking);

        assertThat(steps).as("calls").isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whenever_a_gateway_dies_that_makes_a_bucket_its_owner_may_make_it_again_at_once(boolean afterTheCall) {
        for (int steps = 0; steps < 3; steps++) {
            BucketName name = new BucketName("photos-" + steps);
            north.deaths.dieAt(steps, afterTheCall);
            assertThat(diesMaking(north, name)).isTrue();
            north.deaths.live();

            BucketClaim again = north.create(name, "alice");

            assertThat(again.bucket().owner()).isEqualTo("alice");
            assertTrue(north, south);
        }
    }

    /**
     * Lets a gateway die at each of its calls, one after the other, and upkeep do what is left.
     *
     * @param before with the name that it is about, each time another
     * @return how many calls it made
     */
    private int dyingAtEachCall(
            boolean afterTheCall, Consumer<BucketName> before, BiPredicate<RegionSite, BucketName> dies) {
        int steps = 0;
        while (true) {
            BucketName name = new BucketName("photos-" + steps);
            before.accept(name);
            north.deaths.dieAt(steps, afterTheCall);
            boolean died = dies.test(north, name);
            north.deaths.live();
            if (!died) {
                return steps;
            }
            north.settle();
            assertTrue(north, south);
            boolean there = north.buckets().contains(name);
            assertThat(south.create(name, "bob").made()).isEqualTo(!there);
            assertTrue(north, south);
            steps++;
        }
    }

    private static boolean diesMaking(RegionSite site, BucketName name) {
        try {
            site.create(name, "alice");
            return false;
        } catch (Died died) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whenever_a_gateway_dies_that_deletes_a_bucket_the_name_has_one_in_the_end_or_is_free(boolean afterTheCall) {
        int steps =
                dyingAtEachCall(afterTheCall, name -> north.create(name, "alice"), RegistryUpkeepTest::diesDeleting);

        assertThat(steps).as("calls").isEqualTo(3);
    }

    /** What the directory asks is asked on a thread of its own, so who waits for it hears of a registry that failed. */
    private static boolean diesDeleting(RegionSite site, BucketName name) {
        try {
            site.delete(name);
            return false;
        } catch (Died | RegistryException died) {
            return true;
        }
    }

    @Test
    void an_owner_may_make_a_bucket_again_whose_deletion_was_not_brought_to_an_end() {
        north.create(PHOTOS, "alice");
        north.namespace.deleteBucket(PHOTOS, clock.instant());
        assertThat(north.create(PHOTOS, "bob").made()).as("by another").isFalse();

        assertThat(north.create(PHOTOS, "alice").made()).isTrue();

        assertTrue(north, south);
    }

    @Test
    void a_name_whose_bucket_is_missing_is_free_after_the_second_round() {
        north.create(PHOTOS, "alice");
        north.namespace.deleteBucket(PHOTOS, clock.instant());

        north.upkeep();
        assertThat(registry.find(PHOTOS)).isPresent();
        north.pass(RegistryUpkeep.INTERVAL);
        north.upkeep();

        assertThat(registry.find(PHOTOS)).isEmpty();
    }

    @Test
    void a_slow_maker_whose_claim_was_released_takes_the_name_again_if_nobody_has_it() {
        BucketClaim slow = north.names.create(north.wanted(PHOTOS, "alice"), bucket -> {
            north.settle();
            assertThat(registry.find(PHOTOS)).isEmpty();
            return north.namespace.createBucket(bucket);
        });

        assertThat(slow.made()).isTrue();
        assertThat(south.create(PHOTOS, "bob").made()).isFalse();
        assertTrue(north, south);
    }

    @Test
    void a_slow_maker_whose_name_another_region_has_by_now_leaves_no_bucket() {
        Bucket wanted = north.wanted(PHOTOS, "alice");

        assertThatThrownBy(() -> north.names.create(wanted, bucket -> {
                    north.settle();
                    assertThat(south.create(PHOTOS, "bob").made()).isTrue();
                    return north.namespace.createBucket(bucket);
                }))
                .isInstanceOf(RegistryException.class);

        assertThat(north.buckets()).isEmpty();
        assertTrue(north, south);
    }

    @Test
    void a_slow_maker_leaves_what_another_gateway_has_made_for_the_same_owner() {
        BucketClaim slow = north.names.create(north.wanted(PHOTOS, "alice"), bucket -> {
            assertThat(north.create(PHOTOS, "alice").made()).isTrue();
            return north.namespace.createBucket(bucket);
        });

        assertThat(slow.made()).isFalse();
        assertThat(north.buckets()).containsExactly(PHOTOS);
        assertTrue(north, south);
    }

    @Test
    void of_two_makers_who_are_in_each_others_way_the_one_that_made_the_bucket_is_told_so() {
        BucketClaim first = north.names.create(north.wanted(PHOTOS, "alice"), bucket -> {
            BucketClaim made = north.namespace.createBucket(bucket);
            // The claim is taken over by one who looked before that, and has not made anything yet.
            RegistryEntry old = entry();
            registry.take(
                    old,
                    new RegistryEntry(PHOTOS, "alice", "north", clock.instant(), "later", RegistryEntry.State.CLAIMED));
            return made;
        });

        assertThat(first.made()).isTrue();
        assertThat(north.buckets()).containsExactly(PHOTOS);
        north.settle();
        assertTrue(north, south);
    }

    @Test
    void a_claim_is_not_released_while_its_maker_may_be_at_work() {
        north.names.create(north.wanted(PHOTOS, "alice"), bucket -> {
            for (int i = 0; i < 3; i++) {
                north.upkeep();
                north.pass(Duration.ofSeconds(10));
            }
            return north.namespace.createBucket(bucket);
        });

        assertTrue(north, south);
    }

    @Test
    void a_bucket_that_the_registry_does_not_know_gets_an_entry() {
        Bucket old = new Bucket(PHOTOS, "alice", "", clock.instant());
        north.namespace.createBucket(old);
        for (int i = 0; i < 120; i++) {
            north.namespace.createBucket(new Bucket(new BucketName("bucket-" + i), "alice", "", clock.instant()));
        }

        north.upkeep();

        assertThat(entry().createdAt()).isEqualTo(old.createdAt());
        assertThat(registry.ofOwner("alice", "", "", 1_000)).hasSize(121);
        assertTrue(north, south);
    }

    @Test
    void a_bucket_that_the_registry_does_not_know_is_found_by_who_wants_to_make_it() {
        Bucket old = new Bucket(PHOTOS, "alice", "", clock.instant());
        north.namespace.createBucket(old);

        assertThat(north.create(PHOTOS, "alice")).isEqualTo(new BucketClaim(old, false));

        assertTrue(north, south);
    }

    @Test
    void another_owners_bucket_that_the_registry_does_not_know_keeps_its_name() {
        Bucket old = new Bucket(PHOTOS, "bob", "", clock.instant());
        north.namespace.createBucket(old);

        assertThat(north.create(PHOTOS, "alice")).isEqualTo(new BucketClaim(old, false));

        assertThat(entry().owner()).isEqualTo("bob");
        assertTrue(north, south);
    }

    @Test
    void a_slow_maker_leaves_what_another_owner_has_made_since_its_claim_was_released() {
        BucketClaim slow = north.names.create(north.wanted(PHOTOS, "alice"), bucket -> {
            north.settle();
            assertThat(north.create(PHOTOS, "bob").made()).isTrue();
            return north.namespace.createBucket(bucket);
        });

        assertThat(slow.made()).isFalse();
        assertThat(slow.bucket().owner()).isEqualTo("bob");
        assertTrue(north, south);
    }

    @Test
    void an_entry_of_the_wrong_owner_becomes_that_of_the_right_one() {
        north.create(PHOTOS, "alice");
        north.upkeep();
        registry.take(
                entry(),
                new RegistryEntry(PHOTOS, "mallory", "north", clock.instant(), "wrong", RegistryEntry.State.LIVE));

        north.pass(RegistryUpkeep.COMPARE_INTERVAL);
        north.upkeep();

        assertThat(entry().owner()).isEqualTo("alice");
        assertTrue(north, south);
    }

    @Test
    void a_name_that_two_regions_have_is_told_as_long_as_both_have_it() {
        north.namespace.createBucket(new Bucket(PHOTOS, "alice", "", clock.instant()));
        put(north, PHOTOS);
        clock.move(Duration.ofMillis(1));
        south.create(PHOTOS, "bob");

        north.upkeep();
        assertThat(north.upkeep.conflicts())
                .extracting(RegistryUpkeep.Conflict::name, RegistryUpkeep.Conflict::region)
                .containsExactly(tuple(PHOTOS, "south"));
        north.pass(RegistryUpkeep.REMOVE_AFTER.multipliedBy(2));
        north.upkeep();
        assertThat(north.upkeep.conflictCount()).isEqualTo(1);
        assertThat(north.buckets()).containsExactly(PHOTOS);

        south.delete(PHOTOS);
        north.upkeep();
        assertThat(entry().region()).isEqualTo("north");
        assertTrue(north, south);
    }

    @Test
    void an_empty_bucket_goes_whose_name_another_region_took_after_it_was_made() {
        north.namespace.createBucket(new Bucket(PHOTOS, "alice", "", clock.instant()));
        clock.move(Duration.ofMillis(1));
        south.create(PHOTOS, "bob");

        north.upkeep();
        assertThat(north.upkeep.conflictCount()).isEqualTo(1);
        north.pass(RegistryUpkeep.REMOVE_AFTER);
        north.upkeep();

        assertThat(north.buckets()).isEmpty();
        assertTrue(north, south);
    }

    @Test
    void an_empty_bucket_stays_that_is_younger_than_what_a_restored_registry_knows() {
        south.create(PHOTOS, "bob");
        clock.move(Duration.ofMillis(1));
        north.namespace.createBucket(new Bucket(PHOTOS, "alice", "", clock.instant()));
        south.namespace.deleteBucket(PHOTOS, clock.instant());

        north.upkeep();
        north.pass(RegistryUpkeep.REMOVE_AFTER);
        north.upkeep();
        assertThat(north.buckets()).containsExactly(PHOTOS);

        south.settle();
        north.upkeep();
        assertThat(entry().region()).isEqualTo("north");
        assertTrue(north, south);
    }

    @Test
    void nothing_is_deleted_while_the_registry_does_not_answer() {
        north.create(PHOTOS, "alice");
        registry.close();

        assertThatThrownBy(() -> north.delete(PHOTOS)).isInstanceOf(RegistryException.class);
        assertThatThrownBy(() -> north.create(new BucketName("another"), "alice"))
                .isInstanceOf(RegistryException.class);

        assertThat(north.buckets()).containsExactly(PHOTOS);
    }

    @Test
    void whatever_happens_each_name_is_that_of_one_region_which_has_its_bucket() {
        long seed = new Random().nextLong();
        RegionSite west = region("west");
        List<RegionSite> sites = List.of(north, south, west);
        Chaos chaos = new Chaos(sites, new Random(seed));
        try {
            for (int step = 0; step < 250; step++) {
                chaos.act();
            }
            sites.forEach(RegionSite::settle);
            north.pass(RegistryUpkeep.REMOVE_AFTER);
            // What one region has given up another may take.
            sites.forEach(RegionSite::upkeep);
            sites.forEach(RegionSite::settle);
            sites.forEach(RegionSite::upkeep);

            assertThat(sites.stream().flatMap(site -> site.buckets().stream()))
                    .doesNotHaveDuplicates()
                    .isNotEmpty();
            assertTrue(north, south, west);
            chaos.acknowledged.forEach((name, by) -> {
                RegistryEntry entry = registry.find(name).orElseThrow();
                assertThat(entry.region() + " " + entry.owner()).isEqualTo(by);
            });
        } catch (AssertionError failed) {
            throw new AssertionError("seed " + seed + ": " + chaos.told, failed);
        } finally {
            west.close();
        }
    }

    /** Makes and deletes buckets in regions whose gateways die, and stand still while others act. */
    private final class Chaos {
        private final List<RegionSite> sites;
        private final Random random;
        private final List<String> told = new ArrayList<>();

        /** Region and owner of the buckets that were made and have not been deleted, nor may have been. */
        private final Map<BucketName, String> acknowledged = new TreeMap<>();

        Chaos(List<RegionSite> sites, Random random) {
            this.sites = sites;
            this.random = random;
        }

        private RegionSite any() {
            return sites.get(random.nextInt(sites.size()));
        }

        void act() {
            clock.move(Duration.ofMillis(1 + random.nextInt(5_000)));
            RegionSite site = any();
            if (random.nextInt(3) == 0) {
                site.deaths.dieAt(random.nextInt(6), random.nextBoolean());
            }
            act(site, new BucketName("bucket-" + random.nextInt(12)));
            site.deaths.live();
        }

        private void act(RegionSite site, BucketName name) {
            String owner = random.nextBoolean() ? "alice" : "bob";
            int what = random.nextInt(10);
            try {
                if (what < 5) {
                    made(site, site.create(name, owner));
                } else if (what < 7) {
                    made(site, site.names.create(site.wanted(name, owner), bucket -> slowly(site, bucket)));
                } else if (what < 9) {
                    delete(site, name);
                } else {
                    site.upkeep();
                    told.add(site.region + " keeps up");
                }
            } catch (Died | RegistryException died) {
                told.add(site.region + " died doing " + what + " with " + name + " for " + owner);
            }
        }

        private BucketClaim slowly(RegionSite site, Bucket bucket) {
            told.add(site.region + " claims " + bucket);
            if (random.nextBoolean()) {
                site.settle();
            }
            act(any(), bucket.name());
            return site.namespace.createBucket(bucket);
        }

        private void made(RegionSite site, BucketClaim claim) {
            told.add(site.region + " makes " + claim);
            if (claim.made()) {
                acknowledged.put(
                        claim.bucket().name(),
                        site.region + " " + claim.bucket().owner());
            }
        }

        private void delete(RegionSite site, BucketName name) {
            String before = acknowledged.remove(name);
            Outcome<?> outcome = site.delete(name);
            told.add(site.region + " deletes " + name + ": " + outcome);
            if (outcome instanceof Outcome.Refused && before != null) {
                acknowledged.put(name, before);
            }
        }
    }
}
