package io.headgate.s3.op;

import io.headgate.http.RequestHead;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.CannedAcl;
import io.headgate.policy.Grant;
import io.headgate.policy.Grant.Grantee;
import io.headgate.policy.Grant.Permission;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Access control lists as headers and documents say them, and as they are kept.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html">S3: access control lists</a>
 */
final class Acls {
    static final String ROOT = "AccessControlPolicy";

    private static final String CANNED = "x-amz-acl";
    private static final String GROUPS = "http://acs.amazonaws.com/groups/";
    private static final String ALL_USERS = GROUPS + "global/AllUsers";
    private static final String AUTHENTICATED_USERS = GROUPS + "global/AuthenticatedUsers";
    private static final String LOG_DELIVERY = GROUPS + "s3/LogDelivery";
    private static final String XSI = "http://www.w3.org/2001/XMLSchema-instance";

    private static final Map<String, Permission> GRANTS = Map.of(
            "x-amz-grant-full-control", Permission.FULL_CONTROL,
            "x-amz-grant-read", Permission.READ,
            "x-amz-grant-write", Permission.WRITE,
            "x-amz-grant-read-acp", Permission.READ_ACP,
            "x-amz-grant-write-acp", Permission.WRITE_ACP);

    private final Users users;

    Acls(Users users) {
        this.users = users;
    }

    /** The canned ACL that the head names; InvalidArgument if there is none of that name. */
    static Optional<CannedAcl> canned(RequestHead head) {
        String name = head.header(CANNED);
        if (name == null) {
            return Optional.empty();
        }
        return Optional.of(CannedAcl.of(name).orElseThrow(() -> S3Exception.invalidArgument(CANNED, name, "")));
    }

    static boolean hasGrants(RequestHead head) {
        return head.fields().stream().anyMatch(field -> GRANTS.containsKey(field.name()));
    }

    /**
     * The ACL that the head asks for; empty if it asks for none.
     *
     * @param ofCanned what a canned ACL stands for here
     */
    Optional<AccessControlList> ofHead(
            RequestHead head, String owner, Function<CannedAcl, AccessControlList> ofCanned) {
        Optional<CannedAcl> canned = canned(head);
        if (!hasGrants(head)) {
            return canned.map(ofCanned);
        }
        if (canned.isPresent()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "Specifying both Canned ACLs and Header Grants is not allowed");
        }
        List<Grant> grants = new ArrayList<>();
        for (RequestHead.Field field : head.fields()) {
            Permission permission = GRANTS.get(field.name());
            if (permission != null) {
                for (String grantee : field.value().split(",", -1)) {
                    grants.add(new Grant(grantee(grantee.strip()), permission));
                }
            }
        }
        return Optional.of(list(owner, grants));
    }

    /** {@code id="…"}, {@code uri="…"} or {@code emailAddress="…"}. */
    private Grantee grantee(String text) {
        int equals = text.indexOf('=');
        String kind = equals < 0 ? "" : text.substring(0, equals).strip().toLowerCase(Locale.ROOT);
        String value = equals < 0 ? "" : text.substring(equals + 1).strip();
        if (value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")) {
            value = value.substring(1, value.length() - 1);
        }
        return switch (kind) {
            case "id" -> account(value);
            case "uri" -> group(value);
            case "emailaddress" -> byEmail(value);
            default -> throw new S3Exception(S3Error.INVALID_ARGUMENT, "Argument format not recognized");
        };
    }

    private Grantee account(String id) {
        if (!users.exists(id)) {
            throw S3Exception.invalidArgument("CanonicalUser/ID", id, "Invalid id");
        }
        return new Grantee.Account(id);
    }

    private Grantee byEmail(String address) {
        return new Grantee.Account(users.idByEmail()
                .apply(address.toLowerCase(Locale.ROOT))
                .orElseThrow(() -> new S3Exception(S3Error.UNRESOLVABLE_GRANT_BY_EMAIL_ADDRESS)));
    }

    private static Grantee group(String uri) {
        return switch (uri) {
            case ALL_USERS -> new Grantee.AllUsers();
            case AUTHENTICATED_USERS -> new Grantee.AuthenticatedUsers();
            case LOG_DELIVERY -> new Grantee.LogDelivery();
            default -> throw S3Exception.invalidArgument("Group/URI", uri, "Invalid group uri");
        };
    }

    private static AccessControlList list(String owner, List<Grant> grants) {
        if (grants.size() > AccessControlList.MAX_GRANTS) {
            throw new S3Exception(
                    S3Error.MALFORMED_ACL_ERROR,
                    "An access control list has at most " + AccessControlList.MAX_GRANTS + " grants");
        }
        return new AccessControlList(owner, grants);
    }

    /** The ACL of an AccessControlPolicy, which names the owner that there is. */
    AccessControlList ofDocument(XmlElement policy, String owner) {
        String named = policy.child("Owner")
                .orElseThrow(() -> malformed("<Owner> is missing"))
                .childText("ID")
                .orElseThrow(() -> malformed("<Owner> has no <ID>"));
        if (!named.equals(owner)) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        XmlElement list = policy.child("AccessControlList").orElseThrow(() -> malformed("The list is missing"));
        List<Grant> grants = new ArrayList<>();
        for (XmlElement grant : list.children()) {
            XmlElement grantee = grant.child("Grantee").orElseThrow(() -> malformed("<Grantee> is missing"));
            grants.add(new Grant(
                    grantee(grantee), permission(grant.childText("Permission").orElse(""))));
        }
        return list(owner, grants);
    }

    /** By what it names: clients differ in how they say of which type it is. */
    private Grantee grantee(XmlElement element) {
        Optional<Grantee> named = element.childText("URI")
                .map(Acls::group)
                .or(() -> element.childText("ID").map(this::account))
                .or(() -> element.childText("EmailAddress").map(this::byEmail));
        return named.orElseThrow(() -> malformed("A grantee has an ID, a URI or an EmailAddress"));
    }

    private static Permission permission(String name) {
        try {
            return Permission.valueOf(name);
        } catch (IllegalArgumentException unknown) {
            throw malformed("There is no permission " + name);
        }
    }

    private static S3Exception malformed(String why) {
        return new S3Exception(S3Error.MALFORMED_ACL_ERROR, why);
    }

    /** The document that says it. */
    byte[] document(AccessControlList acl) {
        XmlWriter xml = XmlWriter.document(ROOT)
                .open("Owner")
                .element("ID", acl.owner())
                .element("DisplayName", users.nameOf(acl.owner()))
                .close("Owner")
                .open("AccessControlList");
        for (Grant grant : groupsFirst(acl)) {
            xml.open("Grant");
            switch (grant.grantee()) {
                case Grantee.Account(String id) ->
                    grantee(xml, "CanonicalUser").element("ID", id).element("DisplayName", users.nameOf(id));
                case Grantee.AllUsers() -> grantee(xml, "Group").element("URI", ALL_USERS);
                case Grantee.AuthenticatedUsers() -> grantee(xml, "Group").element("URI", AUTHENTICATED_USERS);
                case Grantee.LogDelivery() -> grantee(xml, "Group").element("URI", LOG_DELIVERY);
            }
            xml.close("Grantee")
                    .element("Permission", grant.permission().name())
                    .close("Grant");
        }
        return xml.close("AccessControlList").end(ROOT);
    }

    /** As others show them, and tests for S3 expect. */
    private static List<Grant> groupsFirst(AccessControlList acl) {
        return acl.grants().stream()
                .sorted(Comparator.comparing(grant -> grant.grantee() instanceof Grantee.Account))
                .toList();
    }

    private static XmlWriter grantee(XmlWriter xml, String type) {
        return xml.open("Grantee", Map.of("xmlns:xsi", XSI, "xsi:type", type));
    }

    // As it is kept: a line a grant, its permission and whom it is to

    static String kept(AccessControlList acl) {
        StringBuilder text = new StringBuilder();
        for (Grant grant : acl.grants()) {
            String to = switch (grant.grantee()) {
                case Grantee.Account(String id) -> "=" + id;
                case Grantee.AllUsers() -> "*";
                case Grantee.AuthenticatedUsers() -> "+";
                case Grantee.LogDelivery() -> "~";
            };
            text.append(grant.permission()).append(' ').append(to).append('\n');
        }
        return text.toString();
    }

    /** What was kept of an ACL of this owner. */
    static AccessControlList ofKept(String owner, String kept) {
        return new AccessControlList(owner, kept.lines().map(Acls::grant).toList());
    }

    private static Grant grant(String line) {
        int space = line.indexOf(' ');
        String to = line.substring(space + 1);
        Grantee grantee = switch (to) {
            case "*" -> new Grantee.AllUsers();
            case "+" -> new Grantee.AuthenticatedUsers();
            case "~" -> new Grantee.LogDelivery();
            default -> new Grantee.Account(to.substring(1));
        };
        return new Grant(grantee, Permission.valueOf(line.substring(0, space)));
    }
}
