package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why a node did not do what it was asked, and so what is to be done. */
sealed interface Failure {
    /** Another node is to be asked, by now for good, or for this once. */
    record Elsewhere(String host, int port, boolean once) implements Failure {}

    /** The node does not have the library of functions. */
    record NoLibrary() implements Failure {}

    /** It does nothing now: it is on its way up or down, or busy. */
    record Unwell() implements Failure {}

    /** It may do it in a while: a slot is on its way to it, or replicas are missing, or the node itself is no master yet. */
    record Passing() implements Failure {}

    /** It has no memory left. */
    record Full() implements Failure {}

    /** No answer: asking again, perhaps another node, may get one. */
    record Silent() implements Failure {}

    /** It has been done, but replicas may not have it. */
    record Unacknowledged() implements Failure {}

    /** Asking again is in vain. */
    record Final() implements Failure {}

    /** How answers begin of a node that is not well. */
    List<String> UNWELL = List.of("LOADING", "MASTERDOWN", "BUSY", "CLUSTERDOWN The cluster is down");

    /** How answers begin that another try may not get. */
    List<String> PASSING = List.of("TRYAGAIN", "CLUSTERDOWN", "READONLY", "NOREPLICAS", "UNBLOCKED", "MOVED", "ASK");

    Pattern ELSEWHERE = Pattern.compile("(MOVED|ASK) \\d+ (\\S+):(\\d+)");

    static Failure of(Throwable cause) {
        if (cause instanceof Acknowledgements.Unacknowledged) {
            return new Unacknowledged();
        }
        if (cause instanceof NamespaceException) { // its connections are closed
            return new Final();
        }
        if (!(cause instanceof RedisCommandExecutionException refused)) {
            return new Silent();
        }
        String message = String.valueOf(refused.getMessage());
        if (message.startsWith("ERR Function not found")) {
            return new NoLibrary();
        }
        if (message.startsWith("OOM")) {
            return new Full();
        }
        Matcher elsewhere = ELSEWHERE.matcher(message);
        if (elsewhere.lookingAt()) {
            return new Elsewhere(
                    elsewhere.group(2),
                    Integer.parseInt(elsewhere.group(3)),
                    elsewhere.group(1).equals("ASK"));
        }
        if (UNWELL.stream().anyMatch(message::startsWith)) {
            return new Unwell();
        }
        return PASSING.stream().anyMatch(message::startsWith) ? new Passing() : new Final();
    }
}
