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
        assertThat(namespace.removeAccount("disk-2", NOW)).isEqualTo(AccountRemoval.UNKNOWN);
        assertThat(namespace.removeAccount("disk-1", NOW)).isEqualTo(AccountRemoval.NOT_DRAINING);
        namespace.setDraining("disk-1", true);

        assertThat(namespace.removeAccount("disk-1", NOW)).isEqualTo(AccountRemoval.PENDING);
        assertThat(namespace.addedAccounts()).containsExactly(new AddedAccount("disk-1", "{}", NOW, Optional.of(NOW)));
        assertThat(namespace.removeAccount("disk-1", SETTLED.plusSeconds(99)))
                .as("an intent stands")
                .isEqualTo(AccountRemoval.PENDING);
        namespace.takeExpiredIntents(NOW.plusSeconds(1_000_000), 10);
        assertThat(namespace.removeAccount("disk-1", SETTLED.plusSeconds(99)))
                .as("what was written under it is not swept yet")
                .isEqualTo(AccountRemoval.PENDING);

        endIntents();
        namespace.openIntent("gateway-2", SETTLED.plusMillis(1), SETTLED.plusSeconds(10), SETTLED.plusSeconds(60));
        assertThat(namespace.removeAccount("disk-1", SETTLED.minusMillis(1))).isEqualTo(AccountRemoval.PENDING);
        assertThat(namespace.removeAccount("disk-1", SETTLED)).isEqualTo(AccountRemoval.REMOVED);
        assertThat(names()).isEmpty();
        assertThat(namespace.accountModes()).doesNotContainKey("disk-1");
        assertThat(namespace.removeAccount("disk-1", SETTLED)).isEqualTo(AccountRemoval.UNKNOWN);
    }

    @Test
    void an_account_that_holds_anything_stays() {
        namespace.addAccount("disk-1", "{}", NOW);
        namespace.setDraining("disk-1", true);
        put("a", 10);
        assertThat(namespace.removeAccount("disk-1", NOW)).isEqualTo(AccountRemoval.NOT_EMPTY);

        delete("a");
        assertThat(namespace.removeAccount("disk-1", NOW)).as("garbage").isEqualTo(AccountRemoval.NOT_EMPTY);

        namespace.garbageDeleted("disk-1", garbage());
        assertThat(namespace.removeAccount("disk-1", NOW)).isEqualTo(AccountRemoval.PENDING);
        put("late", 10);
        endIntents();
        assertThat(namespace.removeAccount("disk-1", SETTLED))
                .as("a write that had begun")
                .isEqualTo(AccountRemoval.NOT_EMPTY);
    }

    @Test
    void a_copy_that_is_being_made_keeps_its_account() {
        namespace.addAccount("disk-2", "{}", NOW);
        namespace.setDraining("disk-2", true);
        ObjectVersion version = put("a", 10);
        Slice slice = ((Manifest.Inline) version.manifest()).slice().orElseThrow();
        BlobMove move = new BlobMove(slice.blob(), "disk-1", "disk-2", 10);
        namespace.beginMoves(List.of(move), NOW);

        assertThat(namespace.removeAccount("disk-2", NOW)).isEqualTo(AccountRemoval.NOT_EMPTY);
    }

    @Test
    void to_end_the_draining_is_to_keep_the_account() {
        namespace.addAccount("disk-1", "{}", NOW);
        namespace.setDraining("disk-1", true);
        namespace.removeAccount("disk-1", NOW);

        namespace.setDraining("disk-1", false);

        assertThat(namespace.addedAccounts()).containsExactly(new AddedAccount("disk-1", "{}", NOW, Optional.empty()));
        namespace.setDraining("disk-1", true);
        endIntents();
        assertThat(namespace.removeAccount("disk-1", SETTLED)).isEqualTo(AccountRemoval.PENDING);
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
        Slice slice = ((Manifest.Inline) version.manifest()).slice().orElseThrow();
        List<BlobMove> move = List.of(new BlobMove(slice.blob(), "disk-1", "disk-2", sizeBytes));
        assertThat(namespace.beginMoves(move, time)).hasSize(1);
        assertThat(namespace.finishMoves(move, time)).hasSize(1);
    }
}
