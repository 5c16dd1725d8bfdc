package io.headgate.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One key of a statement's condition: all keys of all operators must hold.
 *
 * @param key as {@link RequestContext#normalized} gives it
 * @param values of which one must match, or none if the operator is negated
 */
record Condition(Operator operator, Quantifier quantifier, boolean ifExists, String key, List<Template> values) {
    private static final String IF_EXISTS = "IfExists";
    private static final int MAX_KEY_LENGTH = 512;

    /** What is asked of a key of which the request may have many values. */
    enum Quantifier {
        NONE(""),
        FOR_ANY_VALUE("ForAnyValue:"),
        FOR_ALL_VALUES("ForAllValues:");

        private final String prefix;

        Quantifier(String prefix) {
            this.prefix = prefix;
        }
    }

    Condition {
        values = List.copyOf(values);
    }

    /** @throws PolicyException if the operator is unknown, or the key or a value not one that it takes */
    static Condition parse(String name, String key, List<String> values, boolean variables) {
        Quantifier quantifier = Quantifier.NONE;
        for (Quantifier candidate : Quantifier.values()) {
            if (name.startsWith(candidate.prefix)) {
                quantifier = candidate; // the first, NONE, is a prefix of every name
            }
        }
        String rest = name.substring(quantifier.prefix.length());
        boolean ifExists = rest.endsWith(IF_EXISTS);
        String operatorName = ifExists ? rest.substring(0, rest.length() - IF_EXISTS.length()) : rest;
        Operator operator = Operator.named(operatorName)
                .filter(found -> found != Operator.NULL || operatorName.equals(name))
                .orElseThrow(() -> new PolicyException("Invalid Condition type : " + name));
        if (key.length() > MAX_KEY_LENGTH || !key.matches("[A-Za-z0-9-]+:[^\\s/]+(/.+)?")) {
            throw new PolicyException("Policy has an invalid condition key");
        }
        List<Template> templates = new ArrayList<>();
        for (String value : values) {
            Template template = Template.parse(value, operator.hasWildcards(), variables);
            if (!template.hasVariables() && !operator.isValid(value)) {
                throw new PolicyException("Invalid value for the condition " + name + ": " + value);
            }
            templates.add(template);
        }
        return new Condition(operator, quantifier, ifExists, RequestContext.normalized(key), templates);
    }

    boolean holds(RequestContext context) {
        List<String> actual = context.values(key);
        if (operator == Operator.NULL) {
            return values.stream().anyMatch(wanted -> wanted.source().equalsIgnoreCase("true") == actual.isEmpty());
        }
        if (actual.isEmpty()) {
            return switch (quantifier) {
                case NONE -> ifExists || operator.isNegated();
                case FOR_ANY_VALUE -> ifExists;
                case FOR_ALL_VALUES -> true;
            };
        }
        List<Glob> wanted = new ArrayList<>();
        for (Template value : values) {
            Optional<Glob> expanded = value.expand(context);
            if (expanded.isEmpty() && operator.isNegated()) {
                return false; // unlike which value is not known, so that nothing may follow from it
            }
            expanded.ifPresent(wanted::add);
        }
        boolean all =
                quantifier == Quantifier.FOR_ALL_VALUES || (quantifier == Quantifier.NONE && operator.isNegated());
        return all
                ? actual.stream().allMatch(value -> isMet(value, wanted))
                : actual.stream().anyMatch(value -> isMet(value, wanted));
    }

    private boolean isMet(String value, List<Glob> wanted) {
        return operator.isNegated() != wanted.stream().anyMatch(glob -> operator.matches(value, glob));
    }
}
