package io.headgate.region.redis;

import io.headgate.region.redis.RedisRegistryOptions.Node;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why Redis did not do what it was asked, and so what is to be done. */
sealed interface Failure {
    /** Another node has the slot by now. */
    record Elsewhere(Node node) implements Failure {}

    /** It, or another in its place, may do it in a while. */
    record Passing() implements Failure {}

    /** It has been done, but would be lost with the master. */
    record Unacknowledged() implements Failure {}

    /** Asking again is in vain. */
    record Final() implements Failure {}

    /** How answers begin of a node that is on its way up or down, or whose slot is on its way to another. */
    List<String> PASSING = List.of(
            "LOADING", "MASTERDOWN", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "ASK", "READONLY", "NOREPLICAS", "UNBLOCKED");

    Pattern MOVED = Pattern.compile("MOVED \\d+ (\\S*):(\\d+)");

    /**
     * By what Redis answered.
     *
     * @param asked to which a host that is not named is the same
     */
    static Failure of(Throwable cause, Node asked) {
        if (cause instanceof Link.Unacknowledged) {
            return new Unacknowledged();
        }
        if (!(cause instanceof RedisCommandExecutionException refused)) {
            return new Passing();
        }
        String message = String.valueOf(refused.getMessage());
        Matcher moved = MOVED.matcher(message);
        if (moved.lookingAt()) {
            String host = moved.group(1).isEmpty() ? asked.host() : moved.group(1);
            return new Elsewhere(new Node(host, Integer.parseInt(moved.group(2))));
        }
        return PASSING.stream().anyMatch(message::startsWith) ? new Passing() : new Final();
    }
}
