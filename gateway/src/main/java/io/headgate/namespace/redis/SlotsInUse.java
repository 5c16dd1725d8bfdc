package io.headgate.namespace.redis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.random.RandomGenerator;

/** The slots that hold anything, so that who must look at all of them looks at no others. A slot stays in use for ever. Thread-safe. */
final class SlotsInUse {
    private static final byte[] KEY = SlotKeys.named("S", "slots");

    private final Cluster cluster;
    private volatile BitSet known = new BitSet(Slots.COUNT);
    private volatile SlotLoads loads = SlotLoads.NONE;

    SlotsInUse(Cluster cluster) {
        this.cluster = cluster;
    }

    /** To be called before anything is written to the slot. */
    void use(int slot) {
        if (known.get(slot)) {
            return;
        }
        cluster.command(redis -> redis.setbit(KEY, slot, 1));
        synchronized (this) {
            BitSet more = (BitSet) known.clone();
            more.set(slot);
            known = more;
        }
    }

    List<Integer> all() {
        byte[] bits = cluster.command(redis -> redis.get(KEY));
        List<Integer> slots = new ArrayList<>();
        if (bits != null) {
            for (int slot = 0; slot < 8 * bits.length; slot++) {
                if ((bits[slot / 8] & 0x80 >> slot % 8) != 0) {
                    slots.add(slot);
                }
            }
        }
        return slots;
    }

    /** Where a new range is to lie. */
    int draw(RandomGenerator random) {
        return loads.draw(random);
    }

    /** How full slots were when that was counted last. */
    SlotLoads loads() {
        return loads;
    }

    void learn(SlotLoads counted) {
        loads = counted;
    }
}
