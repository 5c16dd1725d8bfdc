package io.headgate.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A request as policies see it: who asks for what, and the values of condition keys. A value is asked for only when a statement that is
 * otherwise about this request has a condition on it, and once. Belongs to one request, thus to one thread.
 */
public final class RequestContext {
    private final Caller caller;
    private final String action;
    private final Resource resource;
    private final Function<String, List<String>> source;
    private final Map<String, List<String>> known = new HashMap<>();

    /**
     * A request.
     *
     * @param action such as {@code s3:GetObject}
     * @param source gives the values of a condition key, none for one that the request does not have. Keys about the caller it is not
     *     asked for: {@code aws:userid}, {@code aws:username}, {@code aws:PrincipalAccount}, {@code aws:PrincipalArn}. It is asked by the key in lower
     *     case up to its first slash, such as {@code aws:sourceip} or {@code s3:existingobjecttag/Colour}: what follows is a tag's key
     */
    public RequestContext(Caller caller, String action, Resource resource, Function<String, List<String>> source) {
        this.caller = caller;
        this.action = action;
        this.resource = resource;
        this.source = source;
    }

    Caller caller() {
        return caller;
    }

    String action() {
        return action;
    }

    Resource resource() {
        return resource;
    }

    /** @param key as {@link #normalized} gives it */
    List<String> values(String key) {
        List<String> values = known.get(key);
        if (values == null) {
            values = switch (key) {
                case "aws:userid" -> caller instanceof Caller.Anonymous ? List.of() : List.of(userId());
                case "aws:username" -> caller instanceof Caller.Anonymous ? List.of() : List.of(userId());
                case "aws:principalaccount" -> account().stream().toList();
                case "aws:principalarn" ->
                    account().map(account -> "arn:aws:iam::" + account + ":user/" + userId()).stream()
                            .toList();
                default -> List.copyOf(source.apply(key));
            };
            known.put(key, values);
        }
        return values;
    }

    private String userId() {
        return switch (caller) {
            case Caller.Anonymous() -> "anonymous";
            case Caller.Root(String id) -> id;
            case Caller.User user -> user.id();
        };
    }

    private Optional<String> account() {
        return switch (caller) {
            case Caller.Anonymous() -> Optional.empty();
            case Caller.Root(String id) -> Optional.of(id);
            case Caller.User user -> Optional.of(user.account());
        };
    }

    /** The key in lower case, but for the key of a tag that it may end in: tags' keys have case. */
    static String normalized(String key) {
        int slash = key.indexOf('/');
        return slash < 0
                ? key.toLowerCase(Locale.ROOT)
                : key.substring(0, slash).toLowerCase(Locale.ROOT) + key.substring(slash);
    }
}
