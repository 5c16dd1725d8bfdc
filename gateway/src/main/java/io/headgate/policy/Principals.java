package io.headgate.policy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whom a statement of a bucket policy is about.
 *
 * @param everybody also who is not known
 * @param accounts ids of accounts, and with them all their users
 * @param users ids of users, as {@code account/user}, or {@code /user} for one whose account is not said
 */
record Principals(boolean everybody, Set<String> accounts, Set<String> users) {
    private static final int ARN_PARTS = 6;
    private static final int MAX_LENGTH = 2048;

    Principals {
        accounts = Set.copyOf(accounts);
        users = Set.copyOf(users);
    }

    /**
     * @param element {@code "*"}, or lists by kind. Services and federated users are taken, but nobody here is one. Users need not exist
     * @throws PolicyException if it is something else
     */
    static Principals parse(Json element) {
        Set<String> accounts = new HashSet<>();
        Set<String> users = new HashSet<>();
        boolean everybody = false;
        switch (element) {
            case Json.Text(String value, boolean ignored) when value.equals("*") -> everybody = true;
            case Json.Members(Map<String, Json> kinds)
            when !kinds.isEmpty() -> {
                for (Map.Entry<String, Json> kind : kinds.entrySet()) {
                    List<String> names = Statement.texts("Principal", kind.getValue());
                    switch (kind.getKey()) {
                        case "AWS" -> {
                            for (String name : names) {
                                everybody |= name.equals("*");
                                addAws(name, accounts, users);
                            }
                        }
                        case "CanonicalUser" -> accounts.addAll(names);
                        case "Service", "Federated" -> {
                            // neither a user nor an account
                        }
                        default -> throw invalid(kind.getKey());
                    }
                }
            }
            case Json.Text ignored -> throw invalid("");
            case Json.Members ignored -> throw invalid("");
            case Json.Items ignored -> throw invalid("");
        }
        return new Principals(everybody, accounts, users);
    }

    private static void addAws(String name, Set<String> accounts, Set<String> users) {
        if (name.equals("*")) {
            return;
        }
        if (name.isBlank() || name.length() > MAX_LENGTH || name.indexOf('*') >= 0 || name.indexOf('?') >= 0) {
            throw invalid(name);
        }
        if (!name.startsWith("arn:")) {
            accounts.add(name);
            return;
        }
        String[] parts = name.split(":", ARN_PARTS);
        if (parts.length != ARN_PARTS || !(parts[2].equals("iam") || parts[2].equals("sts")) || !parts[3].isEmpty()) {
            throw invalid(name);
        }
        String account = parts[4];
        String resource = parts[5];
        if (resource.equals("root")) {
            accounts.add(account);
        } else if (resource.startsWith("user/") && resource.length() > "user/".length()) {
            users.add(account + "/" + resource.substring(resource.lastIndexOf('/') + 1));
        } else if (!resource.startsWith("role/")
                && !resource.startsWith("assumed-role/")
                && !resource.startsWith("federated-user/")) {
            throw invalid(name);
        }
    }

    private static PolicyException invalid(String what) {
        return new PolicyException("Invalid principal in policy" + (what.isEmpty() ? "" : ": " + what));
    }

    /** Whether it is about the caller, by name, by account or as everybody. */
    boolean include(Caller caller) {
        return includeByName(caller)
                || switch (caller) {
                    case Caller.Anonymous() -> false;
                    case Caller.Root(String id) -> accounts.contains(id);
                    case Caller.User user -> accounts.contains(user.account());
                };
    }

    /** Whether it is about the caller without regard to the account. */
    boolean includeByName(Caller caller) {
        return everybody
                || switch (caller) {
                    case Caller.Anonymous() -> false;
                    case Caller.Root(String id) -> names(id, id);
                    case Caller.User user -> names(user.account(), user.id());
                };
    }

    private boolean names(String account, String id) {
        return users.contains("/" + id) || users.contains(account + "/" + id);
    }
}
