package io.headgate.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A statement of a policy.
 *
 * @param principals empty in an identity policy
 * @param exceptPrincipals whether it is about all but these, and so on
 */
record Statement(
        boolean allows,
        Optional<Principals> principals,
        boolean exceptPrincipals,
        List<Glob> actions,
        boolean exceptActions,
        List<Template> resources,
        boolean exceptResources,
        List<Condition> conditions) {
    private static final List<String> NAMES = List.of(
            "Sid",
            "Effect",
            "Principal",
            "NotPrincipal",
            "Action",
            "NotAction",
            "Resource",
            "NotResource",
            "Condition");

    Statement {
        actions = List.copyOf(actions);
        resources = List.copyOf(resources);
        conditions = List.copyOf(conditions);
    }

    /**
     * @param scope what the document is attached to
     * @param variables whether its version knows variables
     * @throws PolicyException if it is not a statement of such a document
     */
    static Statement parse(Json json, Scope scope, boolean variables) {
        if (!(json instanceof Json.Members(Map<String, Json> members))) {
            throw new PolicyException("Syntax errors in policy.");
        }
        for (String name : members.keySet()) {
            if (!NAMES.contains(name)) {
                throw new PolicyException("Unknown field " + name);
            }
        }
        if (members.containsKey("Sid")) {
            text("Sid", members.get("Sid"));
        }
        boolean allows = effect(members.get("Effect"));
        Optional<Named> principals = switch (scope) {
            case Scope.Bucket ignored -> Optional.of(required(members, "Principal"));
            case Scope.Identity() -> {
                if (members.containsKey("Principal") || members.containsKey("NotPrincipal")) {
                    throw new PolicyException("Policy document should not specify a principal.");
                }
                yield Optional.empty();
            }
        };
        boolean exceptPrincipals = principals.filter(Named::isExcept).isPresent();
        if (allows && exceptPrincipals) {
            throw new PolicyException("Allow with NotPrincipal is not allowed.");
        }
        Named actions = required(members, "Action");
        Named resources = required(members, "Resource");
        List<Template> resourceTemplates = new ArrayList<>();
        for (String resource : texts(resources.name(), resources.value())) {
            scope.checkResource(resource);
            resourceTemplates.add(Template.parse(resource, true, variables));
        }
        List<Glob> actionGlobs = new ArrayList<>();
        for (String action : texts(actions.name(), actions.value())) {
            scope.checkAction(action);
            actionGlobs.add(Glob.of(action));
        }
        return new Statement(
                allows,
                principals.map(named -> Principals.parse(named.value())),
                exceptPrincipals,
                actionGlobs,
                actions.isExcept(),
                resourceTemplates,
                resources.isExcept(),
                conditions(members.get("Condition"), variables));
    }

    /** A member, under the name by which it is there. */
    private record Named(String name, Json value) {
        boolean isExcept() {
            return name.startsWith("Not");
        }
    }

    private static Named required(Map<String, Json> members, String name) {
        Json plain = members.get(name);
        Json except = members.get("Not" + name);
        if (plain != null && except != null) {
            throw new PolicyException("Only one of " + name + " and Not" + name + " may be given.");
        }
        if (plain == null && except == null) {
            throw new PolicyException("Missing required field " + name);
        }
        return plain != null ? new Named(name, plain) : new Named("Not" + name, Objects.requireNonNull(except));
    }

    private static boolean effect(@Nullable Json json) {
        if (json == null) {
            throw new PolicyException("Missing required field Effect");
        }
        String effect = text("Effect", json);
        return switch (effect) {
            case "Allow" -> true;
            case "Deny" -> false;
            default -> throw new PolicyException("Invalid effect: " + effect);
        };
    }

    private static List<Condition> conditions(@Nullable Json json, boolean variables) {
        List<Condition> conditions = new ArrayList<>();
        if (json != null) {
            for (Map.Entry<String, Json> operator : members("Condition", json).entrySet()) {
                for (Map.Entry<String, Json> key :
                        members(operator.getKey(), operator.getValue()).entrySet()) {
                    List<String> values = scalars(key.getKey(), key.getValue(), false);
                    conditions.add(Condition.parse(operator.getKey(), key.getKey(), values, variables));
                }
            }
        }
        return conditions;
    }

    private static Map<String, Json> members(String name, Json json) {
        if (json instanceof Json.Members(Map<String, Json> members)) {
            return members;
        }
        throw new PolicyException("Invalid value for " + name);
    }

    static String text(String name, Json json) {
        if (json instanceof Json.Text(String value, boolean quoted) && quoted) {
            return value;
        }
        throw new PolicyException("Invalid value for " + name);
    }

    /** One text or several, at least one. */
    static List<String> texts(String name, Json json) {
        return scalars(name, json, true);
    }

    private static List<String> scalars(String name, Json json, boolean quotedOnly) {
        List<Json> items = json instanceof Json.Items(List<Json> values) ? values : List.of(json);
        List<String> texts = new ArrayList<>();
        for (Json item : items) {
            if (!(item instanceof Json.Text(String value, boolean quoted)) || (quotedOnly && !quoted)) {
                throw new PolicyException("Invalid value for " + name);
            }
            texts.add(value);
        }
        if (texts.isEmpty()) {
            throw new PolicyException("Invalid value for " + name + ": it is empty");
        }
        return texts;
    }

    /** Whether it is about the request. What may cost a look-up, the conditions, comes last. */
    boolean applies(RequestContext context) {
        return principals
                        .map(who -> who.include(context.caller()) != exceptPrincipals)
                        .orElse(true)
                && isAbout(context);
    }

    /** The same, but not because the caller's account is named. */
    boolean appliesByName(RequestContext context) {
        return principals.map(who -> who.includeByName(context.caller())).orElse(true) && isAbout(context);
    }

    private boolean isAbout(RequestContext context) {
        boolean action = actions.stream().anyMatch(glob -> glob.matchesIgnoringCase(context.action()));
        return action != exceptActions
                && isAboutResource(context)
                && conditions.stream().allMatch(condition -> condition.holds(context));
    }

    private boolean isAboutResource(RequestContext context) {
        String arn = context.resource().arn();
        for (Template template : resources) {
            Optional<Glob> glob = template.expand(context);
            if (glob.isEmpty() && exceptResources) {
                return false; // all but which is not known
            }
            if (glob.isPresent() && glob.get().matches(arn)) {
                return !exceptResources;
            }
        }
        return exceptResources;
    }
}
