package io.headgate.work;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells of each version that needs a damaged blob, but of no more than so many for each blob, as copies share one without end: of the others
 * it tells how many they are. For one thread.
 */
final class SharedDamage implements Consumer<Finding> {
    /** Versions and parts that are told of a blob. */
    static final int MOST = 100;

    /** Of so many blobs it is counted who needs them; what is found of others is told without a bound. */
    private static final int MOST_BLOBS = 100_000;

    private final Consumer<Finding> found;
    private final Map<Damaged, Long> counts = new LinkedHashMap<>();

    private record Damaged(
            Finding.Kind kind, Object blob, @Nullable Object account) {}

    SharedDamage(Consumer<Finding> found) {
        this.found = found;
    }

    @Override
    public void accept(Finding finding) {
        Object blob = finding.details().get("blob");
        if (blob != null) {
            Damaged damaged =
                    new Damaged(finding.kind(), blob, finding.details().get("account"));
            if (counts.size() < MOST_BLOBS || counts.containsKey(damaged)) {
                if (counts.merge(damaged, 1L, Long::sum) > MOST) {
                    return;
                }
            }
        }
        found.accept(finding);
    }

    /** Tells what was held back, and begins anew. */
    void end() {
        counts.forEach((damaged, count) -> {
            if (count > MOST) {
                Map<String, Object> details = new LinkedHashMap<>();
                if (damaged.account() != null) {
                    details.put("account", damaged.account());
                }
                details.put("blob", damaged.blob());
                details.put("more", count - MOST);
                found.accept(new Finding(damaged.kind(), details, Finding.Fate.REPORTED));
            }
        });
        counts.clear();
    }
}
