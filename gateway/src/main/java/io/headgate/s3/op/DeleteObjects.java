package io.headgate.s3.op;

import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.http.Response;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.WriteCondition;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Deletes up to 1,000 objects in one step; each succeeds or fails on its own.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html">S3: DeleteObjects</a>
 */
final class DeleteObjects {
    static final Action ACTION = Action.DELETE_OBJECT;

    private static final int MAX_KEYS = 1000;

    private final Storage storage;
    private final Authorizer authorizer;

    DeleteObjects(Storage storage, Authorizer authorizer) {
        this.storage = storage;
        this.authorizer = authorizer;
    }

    /** A line of the request: a command, or an error that needs no look-up. */
    private record Item(String key, Optional<io.headgate.namespace.DeleteObject> command, Optional<S3Error> error) {
        Item onlyIf(Predicate<ObjectKey> allowed) {
            return command.isPresent() && !allowed.test(command.get().key())
                    ? new Item(key, Optional.empty(), Optional.of(S3Error.ACCESS_DENIED))
                    : this;
        }
    }

    Response handle(S3Request.DeleteObjects request, Call call) {
        XmlElement delete = call.document("Delete", Call.DigestOf.DOCUMENT_REQUIRED);
        Predicate<ObjectKey> allowed = authorizer.mayDelete(request, call);
        List<Item> items = new ArrayList<>();
        for (XmlElement child : delete.children()) {
            if (child.name().equals("Object")) {
                items.add(item(child));
            }
        }
        if (items.isEmpty() || items.size() > MAX_KEYS) {
            throw new S3Exception(S3Error.MALFORMED_XML, "The request names 1 to " + MAX_KEYS + " objects");
        }
        items.replaceAll(item -> item.onlyIf(allowed));
        List<io.headgate.namespace.DeleteObject> commands =
                items.stream().flatMap(item -> item.command().stream()).toList();
        List<Outcome<Boolean>> outcomes = commands.isEmpty()
                ? List.of()
                : storage.namespace().deleteObjects(request.bucket(), commands, storage.now());
        boolean quiet = delete.childText("Quiet").filter("true"::equals).isPresent();
        return Responses.xml(result(items, outcomes, quiet));
    }

    private static Item item(XmlElement object) {
        List<XmlElement> keys = object.children().stream()
                .filter(child -> child.name().equals("Key"))
                .toList();
        if (keys.size() != 1) {
            throw new S3Exception(S3Error.MALFORMED_XML, "An <Object> has one <Key>");
        }
        // The text is taken as it is: white space is part of a key.
        String text = keys.getFirst().text();
        Optional<String> version = object.childText("VersionId").filter(id -> !id.isEmpty());
        if (version.isPresent() && !version.get().equals("null")) {
            return new Item(text, Optional.empty(), Optional.of(S3Error.NO_SUCH_VERSION));
        }
        if (object.child("LastModifiedTime").isPresent() || object.child("Size").isPresent()) {
            return new Item(text, Optional.empty(), Optional.of(S3Error.NOT_IMPLEMENTED));
        }
        if (text.isEmpty()) {
            throw new S3Exception(S3Error.MALFORMED_XML, "<Key> is empty");
        }
        ObjectKey key;
        try {
            key = new ObjectKey(text);
        } catch (IllegalArgumentException tooLong) {
            return new Item(text, Optional.empty(), Optional.of(S3Error.KEY_TOO_LONG));
        }
        WriteCondition condition =
                object.childText("ETag").map(DeleteObjects::condition).orElse(WriteCondition.NONE);
        return new Item(text, Optional.of(new io.headgate.namespace.DeleteObject(key, condition)), Optional.empty());
    }

    private static WriteCondition condition(String etag) {
        Optional<ETag> tag = Conditions.tag(etag);
        if (tag.isEmpty()) {
            return new WriteCondition.Matches(Set.of()); // what no object's tag can be, matches none
        }
        return tag.get().value().equals("*")
                ? new WriteCondition.Present()
                : new WriteCondition.Matches(Set.of(tag.get()));
    }

    private static byte[] result(List<Item> items, List<Outcome<Boolean>> outcomes, boolean quiet) {
        XmlWriter xml = XmlWriter.document("DeleteResult");
        int next = 0;
        for (Item item : items) {
            Optional<S3Error> error = item.error();
            if (item.command().isPresent()) {
                Outcome<Boolean> outcome = outcomes.get(next++);
                if (outcome instanceof Outcome.Refused<Boolean>(Refusal reason, String detail)) {
                    S3Exception refused = Refusals.exception(reason, detail);
                    if (reason == Refusal.NO_SUCH_BUCKET) {
                        throw refused;
                    }
                    error = Optional.of(refused.error());
                }
            }
            if (error.isPresent()) {
                xml.open("Error")
                        .element("Key", item.key())
                        .element("Code", error.get().code())
                        .element("Message", error.get().message())
                        .close("Error");
            } else if (!quiet) {
                xml.open("Deleted").element("Key", item.key()).close("Deleted");
            }
        }
        return xml.end("DeleteResult");
    }
}
