package io.headgate.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** What can be asked of a running gateway. */
public sealed interface AdminRequest {
    /** The accounts with their state and use. */
    record ListAccounts() implements AdminRequest {}

    /** Begins or ends the draining of an account. */
    record SetDraining(String account, boolean on) implements AdminRequest {}

    /** Lets an account take no new blobs, or take them again. */
    record SetReadOnly(String account, boolean on) implements AdminRequest {}

    /** Adds an account that a file describes; {@code force}: though its check fails. */
    record AddAccount(Path from, boolean force) implements AdminRequest {}

    /** Tries all that a gateway asks of an account. */
    record ProbeAccount(String account) implements AdminRequest {}

    /** Removes an empty account; {@code force}: though garbage waits there, which is forgotten. */
    record RemoveAccount(String account, boolean force) implements AdminRequest {}

    /** Begins or ends to make accounts equally full. */
    record SetRebalancing(boolean on) implements AdminRequest {}

    /** Where an object's bytes are, and where a new write would go. */
    record Explain(String bucket, String key) implements AdminRequest {}

    /** The buckets. */
    record ListBuckets() implements AdminRequest {}

    /** A bucket and its use. */
    record ShowBucket(String bucket) implements AdminRequest {}

    /** The ranges that a bucket is spread in. */
    record ShowRanges(String bucket) implements AdminRequest {}

    /** The regions and how they look from the gateway. */
    record ListRegions() implements AdminRequest {}

    /** The target of the request in the admin API. */
    default String target() {
        return switch (this) {
            case ListAccounts() -> "/admin/v1/accounts";
            case SetDraining(String account, boolean on) -> "/admin/v1/accounts/" + encode(account) + "/draining";
            case SetReadOnly(String account, boolean on) -> "/admin/v1/accounts/" + encode(account) + "/read-only";
            case AddAccount(Path from, boolean force) ->
                "/admin/v1/accounts?file=" + encode(from.toString()) + (force ? "&force=true" : "");
            case SetRebalancing(boolean on) -> "/admin/v1/rebalance";
            case ProbeAccount(String account) -> "/admin/v1/accounts/" + encode(account) + "/probe";
            case RemoveAccount(String account, boolean force) ->
                "/admin/v1/accounts/" + encode(account) + (force ? "?force=true" : "");
            case Explain(String bucket, String key) ->
                "/admin/v1/explain?bucket=" + encode(bucket) + "&key=" + encode(key);
            case ListBuckets() -> "/admin/v1/buckets";
            case ListRegions() -> "/admin/v1/regions";
            case ShowBucket(String bucket) -> "/admin/v1/buckets/" + encode(bucket);
            case ShowRanges(String bucket) -> "/admin/v1/buckets/" + encode(bucket) + "/ranges";
        };
    }

    /** Its method: a question is a GET, a wish is set with PUT and taken back with DELETE. */
    default String method() {
        return switch (this) {
            case SetDraining(String account, boolean on) -> on ? "PUT" : "DELETE";
            case SetReadOnly(String account, boolean on) -> on ? "PUT" : "DELETE";
            case AddAccount _, ProbeAccount _ -> "POST";
            case SetRebalancing(boolean on) -> on ? "PUT" : "DELETE";
            case RemoveAccount _ -> "DELETE";
            case ListAccounts _, Explain _, ListBuckets _, ShowBucket _, ShowRanges _, ListRegions _ -> "GET";
        };
    }

    /** The file that is sent with it. */
    default Optional<Path> file() {
        return this instanceof AddAccount(Path from, boolean force) ? Optional.of(from) : Optional.empty();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
