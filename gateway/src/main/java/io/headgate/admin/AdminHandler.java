package io.headgate.admin;

import io.headgate.account.Accounts;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.http.Exchange;
import io.headgate.http.HttpHandler;
import io.headgate.http.RequestHead;
import io.headgate.http.Response;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.placement.Placement;
import io.headgate.region.Regions;
import io.headgate.work.AccountDrain;
import io.headgate.work.AccountRoster;
import io.headgate.work.Fsck;
import io.headgate.work.RegistryUpkeep;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin endpoint: {@code /healthz}, {@code /readyz} and {@code /metrics} for anyone who reaches it, {@code /admin/v1/} for who has
 * the token. Answers of the API are text, or JSON where {@code Accept} names it. Thread-safe.
 */
public final class AdminHandler implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(AdminHandler.class);
    private static final Duration PING_PATIENCE = Duration.ofSeconds(2);
    private static final String BEARER = "bearer ";
    private static final String FSCK = "/admin/v1/fsck";
    private static final String BACKUP = "/admin/v1/namespace/backup";
    private static final String BUCKETS = "/admin/v1/buckets";
    private static final String RANGES = "/ranges";
    private static final String ACCOUNTS = "/admin/v1/accounts";
    private static final String REGIONS = "/admin/v1/regions";
    private static final String REBALANCE = "/admin/v1/rebalance";
    private static final Pattern ACCOUNT = Pattern.compile(ACCOUNTS + "/([^/]+)(?:/(draining|read-only|probe))?");
    /** Of what defines an account. */
    private static final int MAX_DOCUMENT_BYTES = 64 << 10;

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json";

    private final Namespace namespace;
    private final Accounts accounts;
    private final Placement placement;
    private final Metrics metrics;
    private final Readiness readiness;
    private final InstantSource clock;
    private final AccountModesApi modes;
    private final AccountRosterApi roster;
    private final AdminApi api;
    private final FsckApi fsck;
    private final Fsck.Settings fsckSettings;
    private final RegionsApi regions;
    private final byte[] token;

    /**
     * The endpoint of a gateway.
     *
     * @param drain that moves the blobs of draining accounts
     * @param roster by which accounts come and go
     * @param owners ids of the users whose buckets are listed
     * @param region of buckets that name none
     * @param fsck how to check, but for what each request says
     * @param regions if there are several
     * @param registryUpkeep of these
     * @param token that the API asks for
     */
    public AdminHandler(
            Namespace namespace,
            Accounts accounts,
            Placement placement,
            AccountDrain drain,
            AccountRoster roster,
            InstantSource clock,
            Supplier<Collection<String>> owners,
            String region,
            Metrics metrics,
            Fsck.Settings fsck,
            Optional<Regions> regions,
            Optional<RegistryUpkeep> registryUpkeep,
            String token) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.placement = placement;
        this.metrics = metrics;
        this.readiness = new Readiness(namespace, accounts, placement, PING_PATIENCE);
        this.modes = new AccountModesApi(namespace, accounts, drain, roster, clock);
        this.roster = new AccountRosterApi(namespace, accounts, roster, clock);
        this.api = new AdminApi(namespace, accounts, placement, modes, roster, owners, region);
        this.clock = clock;
        this.fsck = new FsckApi(namespace, accounts, clock);
        this.fsckSettings = fsck;
        this.regions = new RegionsApi(region, regions, registryUpkeep);
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    /** From now on {@code /readyz} says no. */
    public void stopping() {
        readiness.stopping();
    }

    @Override
    public Response handle(Exchange exchange) {
        RequestHead head = exchange.head();
        String path = head.rawPath();
        boolean changes = Set.of("PUT", "DELETE", "POST").contains(head.method());
        if (!changes && !head.method().equals("GET") && !head.method().equals("HEAD")) {
            return error(head, 405, "only GET, HEAD, PUT, POST and DELETE are answered here");
        }
        try {
            if (changes) {
                return change(exchange, path);
            }
            return switch (path) {
                case "/healthz" -> text(head, 200, "ok\n");
                case "/readyz" -> ready(head);
                case "/metrics" ->
                    body(head, 200, Metrics.CONTENT_TYPE, metrics.scrape(namespace, accounts, placement));
                default -> path.startsWith("/admin/") ? admin(head, path) : error(head, 404, "no such page: " + path);
            };
        } catch (NamespaceException outage) {
            LOG.warn("An admin request failed, as the namespace does not answer: {}", outage.toString());
            return error(head, 503, "the namespace does not answer");
        }
    }

    private Response ready(RequestHead head) {
        List<String> reasons = readiness.reasonsAgainst();
        JsonWriter json = new JsonWriter(256)
                .beginObject()
                .name("ready")
                .value(reasons.isEmpty())
                .name("reasons")
                .beginArray();
        reasons.forEach(json::value);
        json.endArray().endObject().endLine();
        return body(head, reasons.isEmpty() ? 200 : 503, JSON, json.toByteArray());
    }

    private Response admin(RequestHead head, String path) {
        if (!isAuthorized(head.header("authorization"))) {
            return error(head, 401, "the admin API needs the gateway's admin token");
        }
        boolean json = wantsJson(head);
        try {
            return switch (path) {
                case ACCOUNTS -> answer(head, api.accounts(json));
                case "/admin/v1/explain" -> {
                    BucketName bucket = new BucketName(parameter(head, "bucket"));
                    yield answer(head, api.explain(bucket, new ObjectKey(parameter(head, "key")), json));
                }
                case BUCKETS -> answer(head, api.buckets(json));
                case REGIONS -> answer(head, regions.list(json));
                case FSCK -> fsck(head, false, json);
                case BACKUP ->
                    streamed(
                            "application/octet-stream",
                            new Response.Body.Stream(out -> namespace.backup(clock.instant(), out)));
                default -> {
                    if (path.startsWith(BUCKETS + "/")) {
                        String rest = path.substring(BUCKETS.length() + 1);
                        boolean ranges = rest.endsWith(RANGES);
                        String name = decode(ranges ? rest.substring(0, rest.length() - RANGES.length()) : rest);
                        BucketName bucket = new BucketName(name);
                        yield answer(head, ranges ? api.ranges(bucket, json) : api.bucket(bucket, json));
                    }
                    yield error(head, 404, "no such call: " + path);
                }
            };
        } catch (IllegalArgumentException wrong) {
            return error(head, 400, wrong.getMessage());
        }
    }

    /** {@code PUT} wants something, {@code DELETE} does not any more or removes, {@code POST} adds or tries. */
    private Response change(Exchange exchange, String path) {
        RequestHead head = exchange.head();
        if (!isAuthorized(head.header("authorization"))) {
            return error(head, 401, "the admin API needs the gateway's admin token");
        }
        Matcher account = ACCOUNT.matcher(path);
        if (path.equals(FSCK) && head.method().equals("PUT")) {
            return fsck(head, true, wantsJson(head));
        }
        boolean json = wantsJson(head);
        try {
            String of = account.matches() ? decode(account.group(1)) : "";
            String what = account.matches() && account.group(2) != null ? account.group(2) : "";
            boolean on = head.method().equals("PUT");
            String call = head.method() + " " + (account.matches() ? what : path);
            return switch (call) {
                case "POST " + ACCOUNTS ->
                    answer(head, roster.add(file(head), document(exchange), isForced(head), json));
                case "PUT " + REBALANCE, "DELETE " + REBALANCE -> answer(head, modes.setRebalancing(on, json));
                case "PUT draining", "DELETE draining" -> answer(head, modes.setDraining(of, on, json));
                case "PUT read-only", "DELETE read-only" -> answer(head, modes.setReadOnly(of, on, json));
                case "POST probe" -> answer(head, roster.probe(of, json));
                case "DELETE " -> answer(head, roster.remove(of, isForced(head), json));
                default -> error(head, 405, "no such call: " + head.method() + " " + path);
            };
        } catch (IllegalArgumentException wrong) {
            return error(head, 400, wrong.getMessage());
        }
    }

    private static boolean isForced(RequestHead head) {
        return List.of(head.rawQuery().split("&", -1)).contains("force=true");
    }

    /** Where the client has what it sends. */
    private static String file(RequestHead head) {
        return List.of(head.rawQuery().split("&", -1)).stream()
                .filter(parameter -> parameter.startsWith("file="))
                .findFirst()
                .map(parameter -> decode(parameter.substring("file=".length())))
                .orElse("the account's file");
    }

    /** A body of bounded length. */
    private static String document(Exchange exchange) {
        try {
            byte[] bytes = exchange.body().readNBytes(MAX_DOCUMENT_BYTES + 1);
            if (bytes.length > MAX_DOCUMENT_BYTES) {
                throw new IllegalArgumentException("the document is longer than " + MAX_DOCUMENT_BYTES + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("the document is not UTF-8", malformed);
        } catch (IOException broken) {
            throw new IllegalArgumentException("the document did not arrive: " + broken.getMessage(), broken);
        }
    }

    /** {@code GET} only looks, {@code PUT} repairs too. */
    private Response fsck(RequestHead head, boolean repair, boolean json) {
        boolean checksum = head.rawQuery().contains("checksum=true");
        return fsck.check(fsckSettings.with(repair, checksum), json)
                .map(body -> streamed(TEXT, body))
                .orElseGet(() -> error(head, 409, "another check is going on in this gateway"));
    }

    private static Response streamed(String contentType, Response.Body body) {
        return new Response(
                200,
                List.of(
                        new RequestHead.Field("content-type", contentType),
                        new RequestHead.Field("cache-control", "no-store")),
                body);
    }

    private static boolean wantsJson(RequestHead head) {
        String accept = head.header("accept");
        return accept != null && accept.contains(JSON);
    }

    private boolean isAuthorized(@Nullable String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return false;
        }
        byte[] given = authorization.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(token, given);
    }

    private static String parameter(RequestHead head, String name) {
        for (String parameter : head.rawQuery().split("&", -1)) {
            if (parameter.startsWith(name + "=")) {
                return decode(parameter.substring(name.length() + 1));
            }
        }
        throw new IllegalArgumentException("the parameter " + name + " is missing");
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static Response answer(RequestHead head, AdminApi.Answer answer) {
        return switch (answer) {
            case AdminApi.Answer.Text(String text) -> text(head, 200, text);
            case AdminApi.Answer.Json(JsonWriter json) -> body(head, 200, JSON, json.toByteArray());
            case AdminApi.Answer.NotFound(String message) -> error(head, 404, message);
            case AdminApi.Answer.Conflict(String message) -> error(head, 409, message);
            case AdminApi.Answer.Invalid(String lines) ->
                text(head, 400, lines.lines().map(AdminHandler::shown).collect(Collectors.joining()));
            case AdminApi.Answer.Failed(String text) -> text(head, 422, text);
        };
    }

    private static Response error(RequestHead head, int status, @Nullable String message) {
        return text(head, status, shown(message == null ? "wrong request" : message));
    }

    /** A line of bounded length, with its end. */
    private static String shown(String message) {
        String shown = TextTable.printable(message);
        return shown.substring(0, Math.min(shown.length(), 500)) + "\n";
    }

    private static Response text(RequestHead head, int status, String text) {
        return body(head, status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Response body(RequestHead head, int status, String contentType, byte[] bytes) {
        List<RequestHead.Field> headers = List.of(
                new RequestHead.Field("content-type", contentType), new RequestHead.Field("cache-control", "no-store"));
        Response.Body body =
                head.method().equals("HEAD") ? new Response.Body.None(bytes.length) : new Response.Body.Bytes(bytes);
        return new Response(status, headers, body);
    }
}
