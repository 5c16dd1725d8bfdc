package io.headgate.namespace;

import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.Slice;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every engine promises of accounts that are added at run time, and of balancing. Objects are put into disk-1. */
public abstract class AddedAccountContract extends NamespaceSuite {
    private static final Instant SETTLED = NOW.plus(AccountRemoval.SETTLE);

    private void endIntents() {
        namespace.closeIntents(List.of(make.intentId));
    }

    private List<String> names() {
        return namespace.addedAccounts().stream().map(AddedAccount::name).toList();
    }

    @Test
    void accounts_that_were_added_are_kept() throws Exception {
        assertThat(namespace.addAccount("disk-9", "{\"path\": \"/x\"}", NOW)).isTrue();
        assertThat(namespace.addAccount("disk-10", "{}", NOW.plusSeconds(1))).isTrue();
        namespace.close();
        namespace = reopen();

        assertThat(namespace.addedAccounts())
                .containsExactly(
                        new AddedAccount("disk-10", "{}", NOW.plusSeconds(1), Optional.empty()),
                        new AddedAccount("disk-9", "{\"path\": \"/x\"}", NOW, Optional.empty()));
    }

    @Test
    void a_name_is_given_once_and_the_same_wish_may_be_repeated() {
        namespace.addAccount("disk-9", "{}", NOW);

        assertThat(namespace.addAccount("disk-9", "{}", NOW.plusSeconds(9))).isTrue();
        assertThat(namespace.addAccount("disk-9", "other", NOW)).isFalse();
        assertThat(namespace.addedAccounts()).containsExactly(new AddedAccount("disk-9", "{}", NOW, Optional.empty()));
    }

    @Test
    void there_is_a_bound_to_how_many_are_added() {
        for (int i = 0; i < AddedAccount.MAX; i++) {
            assertThat(namespace.addAccount("disk-" + i, "{}", NOW)).isTrue();
        }
        assertThat(namespace.addAccount("one-more", "{}", NOW)).isFalse();
        assertThat(namespace.addAccount("disk-5", "{}", NOW)).as("repeated").isTrue();
        assertThat(names()).hasSize(AddedAccount.MAX).doesNotContain("one-more");
    }

    @Test
    void an_account_goes_once_no_write_can_be_under_way_to_it() {
        namespace.addAccount("disk-1", "{}", NOW);
        assertThat(namespace.removeAccount("disk-2", false, NOW)).isEqualTo(AccountRemoval.UNKNOWN);
        assertThat(namespace.removeAccount("disk-1", false, NOW)).isEqualTo(AccountRemoval.NOT_DRAINING);
        namespace.setDraining("disk-1", true);

        assertThat(namespace.removeAccount("disk-1", false, NOW)).isEqualTo(AccountRemoval.PENDING);
        assertThat(namespace.addedAccounts()).containsExactly(new AddedAccount("disk-1", "{}", NOW, Optional.of(NOW)));
        assertThat(namespace.removeAccount("disk-1", false, SETTLED.plusSeconds(99)))
                .as("an intent stands")
                .isEqualTo(AccountRemoval.PENDING);
        namespace.takeExpiredIntents(NOW.plusSeconds(1_000_000), 10);
        assertThat(namespace.removeAccount("disk-1", false, SETTLED.plusSeconds(99)))
                .as("what was written under it is not swept yet")
                .isEqualTo(AccountRemoval.PENDING);

        endIntents();
        namespace.openIntent("gateway-2", SETTLED.plusMillis(1), SETTLED.plusSeconds(10), SETTLED.plusSeconds(60));
        assertThat(namespace.removeAccount("disk-1", false, SETTLED.minusMillis(1)))
                .isEqualTo(AccountRemoval.PENDING);
        assertThat(namespace.removeAccount("disk-1", false, SETTLED)).isEqualTo(AccountRemoval.REMOVED);
        assertThat(names()).isEmpty();
        assertThat(namespace.accountModes()).doesNotContainKey("disk-1");
        assertThat(namespace.removeAccount("disk-1", false, SETTLED)).isEqualTo(AccountRemoval.UNKNOWN);
    }

    @Test
    void an_account_that_holds_anything_stays() {
        namespace.addAccount("disk-1", "{}", NOW);
        namespace.setDraining("disk-1", true);
        put("a", 10);
        assertThat(namespace.removeAccount("disk-1", false, NOW)).isEqualTo(AccountRemoval.NOT_EMPTY);

        delete("a");
        assertThat(namespace.removeAccount("disk-1", false, NOW)).as("garbage").isEqualTo(AccountRemoval.NOT_EMPTY);

        namespace.garbageDeleted("disk-1", garbage());
        assertThat(namespace.removeAccount("disk-1", false, NOW)).isEqualTo(AccountRemoval.PENDING);
        put("late", 10);
        endIntents();
        assertThat(namespace.removeAccount("disk-1", false, SETTLED))
                .as("a write that had begun")
                .isEqualTo(AccountRemoval.NOT_EMPTY);
    }

    @Test
    void an_account_goes_with_its_garbage_if_that_is_wanted_and_with_nothing_that_lives() {
        namespace.addAccount("disk-1", "{}", NOW);
        assertThat(namespace.removeAccount("disk-1", true, NOW)).isEqualTo(AccountRemoval.NOT_DRAINING);
        namespace.setDraining("disk-1", true);
        put("a", 10);
        put("b", 20);
        assertThat(namespace.removeAccount("disk-1", true, NOW)).isEqualTo(AccountRemoval.NOT_EMPTY);
        delete("a");
        assertThat(namespace.removeAccount("disk-1", true, NOW)).as("one lives").isEqualTo(AccountRemoval.NOT_EMPTY);
        delete("b");

        assertThat(namespace.removeAccount("disk-1", true, NOW)).isEqualTo(AccountRemoval.PENDING);
        assertThat(garbage()).as("nothing is forgotten before it must").hasSize(2);
        assertThat(namespace.removeAccount("disk-1", false, SETTLED))
                .as("a write may be sent again")
                .isEqualTo(AccountRemoval.PENDING);
        namespace.takeExpiredIntents(NOW.plusSeconds(1_000_000), 10);
        assertThat(namespace.removeAccount("disk-1", false, SETTLED))
                .as("asked for once, and what was never committed is left there too")
                .isEqualTo(AccountRemoval.FORGETTING);
        assertThat(namespace.accountUsage().getOrDefault("disk-1", AccountUsage.NONE))
                .isEqualTo(AccountUsage.NONE);
        assertThat(namespace.removeAccount("disk-1", false, SETTLED)).isEqualTo(AccountRemoval.REMOVED);
        assertThat(names()).isEmpty();
        assertThat(garbage()).isEmpty();
    }

    @Test
    void copies_that_moves_left_behind_are_forgotten_and_one_that_is_being_made_is_waited_for() {
        namespace.addAccount("disk-2", "{}", NOW);
        namespace.setDraining("disk-2", true);
        BlobMove left = move(put("a", 10));
        BlobMove making = move(put("b", 10));
        namespace.beginMoves(List.of(left, making), NOW);
        namespace.abandonMoves(List.of(left), NOW);
        endIntents();
        assertThat(namespace.removeAccount("disk-2", true, NOW)).isEqualTo(AccountRemoval.PENDING);

        assertThat(namespace.removeAccount("disk-2", false, SETTLED)).isEqualTo(AccountRemoval.FORGETTING);
        assertThat(namespace.removeAccount("disk-2", false, SETTLED)).isEqualTo(AccountRemoval.PENDING);
        namespace.abandonMoves(List.of(making), SETTLED);
        assertThat(namespace.removeAccount("disk-2", false, SETTLED)).isEqualTo(AccountRemoval.FORGETTING);
        assertThat(namespace.removeAccount("disk-2", false, SETTLED)).isEqualTo(AccountRemoval.REMOVED);
    }

    @Test
    void who_ends_the_draining_keeps_the_garbage_too() {
        namespace.addAccount("disk-1", "{}", NOW);
        namespace.setDraining("disk-1", true);
        put("a", 10);
        delete("a");
        namespace.removeAccount("disk-1", true, NOW);

        namespace.setDraining("disk-1", false);
        namespace.setDraining("disk-1", true);
        endIntents();

        assertThat(namespace.removeAccount("disk-1", false, SETTLED)).isEqualTo(AccountRemoval.NOT_EMPTY);
        assertThat(garbage()).hasSize(1);
    }

    @Test
    void of_an_account_that_was_not_added_garbage_is_forgotten_unless_a_write_may_still_ask_for_it() {
        namespace.setReadOnly("disk-1", true);
        put("a", 10);
        assertThat(namespace.removeAccount("disk-1", true, NOW)).isEqualTo(AccountRemoval.NOT_EMPTY);
        delete("a");
        assertThat(namespace.removeAccount("disk-1", false, NOW)).isEqualTo(AccountRemoval.UNKNOWN);

        assertThat(namespace.removeAccount("disk-1", true, SETTLED)).isEqualTo(AccountRemoval.PENDING);
        endIntents();
        namespace.openIntent("gateway-2", NOW.plusSeconds(1_000), NOW.plusSeconds(1_010), NOW.plusSeconds(1_060));
        assertThat(namespace.removeAccount("disk-1", true, SETTLED)).isEqualTo(AccountRemoval.FORGETTING);
        assertThat(namespace.removeAccount("disk-1", true, SETTLED)).isEqualTo(AccountRemoval.REMOVED);
        assertThat(garbage()).isEmpty();
        assertThat(namespace.accountModes()).doesNotContainKey("disk-1");
        assertThat(namespace.removeAccount("disk-1", true, SETTLED)).isEqualTo(AccountRemoval.UNKNOWN);
    }

    private static BlobMove move(ObjectVersion version) {
        Slice slice = ((Manifest.Inline) version.manifest()).slice().orElseThrow();
        return new BlobMove(slice.blob(), "disk-1", "disk-2", slice.lengthBytes());
    }

    @Test
    void a_copy_that_is_being_made_keeps_its_account() {
        namespace.addAccount("disk-2", "{}", NOW);
        namespace.setDraining("disk-2", true);
        namespace.beginMoves(List.of(move(put("a", 10))), NOW);

        assertThat(namespace.removeAccount("disk-2", false, NOW)).isEqualTo(AccountRemoval.NOT_EMPTY);
    }

    @Test
    void to_end_the_draining_is_to_keep_the_account() {
        namespace.addAccount("disk-1", "{}", NOW);
        namespace.setDraining("disk-1", true);
        namespace.removeAccount("disk-1", false, NOW);

        namespace.setDraining("disk-1", false);

        assertThat(namespace.addedAccounts()).containsExactly(new AddedAccount("disk-1", "{}", NOW, Optional.empty()));
        namespace.setDraining("disk-1", true);
        endIntents();
        assertThat(namespace.removeAccount("disk-1", false, SETTLED)).isEqualTo(AccountRemoval.PENDING);
    }

    @Test
    void what_moves_while_accounts_are_balanced_is_counted_from_the_beginning() throws Exception {
        assertThat(namespace.rebalance()).isEqualTo(new Rebalance(false, 0, 0));
        moved("before", 5);
        namespace.setRebalancing(true);
        moved("a", 10);
        moved("b", 20);
        assertThat(namespace.rebalance()).isEqualTo(new Rebalance(true, 2, 30));
        namespace.setRebalancing(true);
        assertThat(namespace.rebalance()).isEqualTo(new Rebalance(true, 2, 30));
        namespace.setDraining("disk-1", true);
        moved("drained", 40);
        namespace.close();
        namespace = reopen();
        assertThat(namespace.rebalance()).isEqualTo(new Rebalance(true, 2, 30));

        namespace.setRebalancing(false);
        namespace.setDraining("disk-1", false);
        moved("after", 50);
        assertThat(namespace.rebalance()).isEqualTo(new Rebalance(false, 2, 30));
        namespace.setRebalancing(true);
        assertThat(namespace.rebalance()).isEqualTo(new Rebalance(true, 0, 0));
    }

    private void moved(String key, long sizeBytes) {
        ObjectVersion version = put(key, sizeBytes);
        List<BlobMove> move = List.of(move(version));
        assertThat(namespace.beginMoves(move, time)).hasSize(1);
        assertThat(namespace.finishMoves(move, time)).hasSize(1);
    }
}
