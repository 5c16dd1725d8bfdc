package io.headgate.s3;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The query parameters that choose another operation than the method alone would, and the names of the operations so chosen. */
final class Subresource {
    /** What a request's path names. */
    enum Scope {
        SERVICE,
        BUCKET,
        OBJECT
    }

    /** The middle of the operation's name for each subresource; Get, Put and so on go before it. */
    private static final Map<String, String> NOUNS = Map.ofEntries(
            Map.entry("accelerate", "BucketAccelerateConfiguration"),
            Map.entry("acl", "Acl"),
            Map.entry("analytics", "BucketAnalyticsConfiguration"),
            Map.entry("attributes", "ObjectAttributes"),
            Map.entry("cors", "BucketCors"),
            Map.entry("delete", "Objects"),
            Map.entry("encryption", "BucketEncryption"),
            Map.entry("intelligent-tiering", "BucketIntelligentTieringConfiguration"),
            Map.entry("inventory", "BucketInventoryConfiguration"),
            Map.entry("legal-hold", "ObjectLegalHold"),
            Map.entry("lifecycle", "BucketLifecycleConfiguration"),
            Map.entry("location", "BucketLocation"),
            Map.entry("logging", "BucketLogging"),
            Map.entry("metadataConfiguration", "BucketMetadataConfiguration"),
            Map.entry("metadataTable", "BucketMetadataTableConfiguration"),
            Map.entry("metrics", "BucketMetricsConfiguration"),
            Map.entry("notification", "BucketNotificationConfiguration"),
            Map.entry("object-lock", "ObjectLockConfiguration"),
            Map.entry("ownershipControls", "BucketOwnershipControls"),
            Map.entry("policy", "BucketPolicy"),
            Map.entry("policyStatus", "BucketPolicyStatus"),
            Map.entry("publicAccessBlock", "PublicAccessBlock"),
            Map.entry("renameObject", "RenameObject"),
            Map.entry("replication", "BucketReplication"),
            Map.entry("requestPayment", "BucketRequestPayment"),
            Map.entry("restore", "RestoreObject"),
            Map.entry("retention", "ObjectRetention"),
            Map.entry("select", "SelectObjectContent"),
            Map.entry("session", "CreateSession"),
            Map.entry("tagging", "Tagging"),
            Map.entry("torrent", "ObjectTorrent"),
            Map.entry("uploads", "MultipartUploads"),
            Map.entry("versioning", "BucketVersioning"),
            Map.entry("versions", "ObjectVersions"),
            Map.entry("website", "BucketWebsite"));

    /** Nouns that are a whole name already. */
    private static final Set<String> WHOLE_NAMES = Set.of("restore", "select", "session", "renameObject");

    private Subresource() {}

    /** The first parameter that is a subresource; empty if none is. */
    static String of(QueryParameters query) {
        return query.firstOf(NOUNS.keySet());
    }

    /** The name, in S3's API where there is one, of what a method does to such a resource. */
    static String operationName(String method, Scope scope, QueryParameters query) {
        String subresource = of(query);
        String verb = verb(method);
        if (subresource.isEmpty()) {
            if (method.equals("POST") && scope != Scope.SERVICE) {
                return "PostObject";
            }
            return verb + (scope == Scope.SERVICE ? "Service" : scope == Scope.BUCKET ? "Bucket" : "Object");
        }
        String noun = NOUNS.getOrDefault(subresource, "");
        if (WHOLE_NAMES.contains(subresource)) {
            return noun;
        }
        if (subresource.equals("acl") || subresource.equals("tagging")) {
            noun = (scope == Scope.BUCKET ? "Bucket" : "Object") + noun;
        }
        boolean many = query.has("id");
        boolean listsConfigurations = method.equals("GET")
                && !many
                && Set.of("analytics", "inventory", "metrics", "intelligent-tiering")
                        .contains(subresource);
        if (subresource.equals("versions") || listsConfigurations) {
            return "List" + noun + (listsConfigurations ? "s" : "");
        }
        return verb + noun;
    }

    private static String verb(String method) {
        return switch (method) {
            case "GET", "PUT", "DELETE", "HEAD", "POST", "OPTIONS" ->
                method.charAt(0) + method.substring(1).toLowerCase(Locale.ROOT);
            default -> "Unknown";
        };
    }
}
