package io.headgate.app;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Compares a namespace with its copy: all buckets, each page of their objects and uploads, counters, and what the copy says of itself. */
final class NamespaceComparison {
    private static final int PAGE = 1_000;
    private static final int MOST_TOLD = 20;

    private final Namespace source;
    private final Namespace target;
    private final List<String> told = new ArrayList<>();
    private long differences;
    private long buckets;
    private long objects;
    private long bytes;
    private long uploads;

    NamespaceComparison(Namespace source, Namespace target) {
        this.source = source;
        this.target = target;
    }

    void run() {
        if (!source.id().equals(target.id())) {
            differ("the ids are " + source.id() + " and " + target.id());
        }
        String after = "";
        List<BucketName> page;
        do {
            page = source.bucketNames(after, PAGE);
            List<BucketName> copied = target.bucketNames(after, PAGE);
            if (!page.equals(copied)) {
                differ("the names of buckets after \"" + after + "\" are " + page.size() + " and " + copied.size()
                        + ", not the same");
            }
            page.forEach(this::bucket);
            after = page.isEmpty() ? "" : page.getLast().value();
        } while (page.size() == PAGE);
        if (!source.accountUsage().equals(target.accountUsage())) {
            differ("accounts are used by " + source.accountUsage() + " and " + target.accountUsage());
        }
        if (!source.accountModes().equals(target.accountModes())
                || !source.addedAccounts().equals(target.addedAccounts())) {
            differ("the accounts that were added, or their modes, are not the same");
        }
        target.audit(discrepancy -> differ("in the copy: " + name(discrepancy)));
    }

    private static String name(Discrepancy discrepancy) {
        return discrepancy.toString();
    }

    private void bucket(BucketName name) {
        buckets++;
        Optional<Bucket> bucket = source.bucket(name);
        if (!bucket.equals(target.bucket(name))) {
            differ("the bucket " + name.value() + " is " + bucket + " and " + target.bucket(name));
        }
        Outcome<BucketUsage> usage = source.bucketUsage(name);
        if (!usage.equals(target.bucketUsage(name))) {
            differ("the usage of " + name.value() + " is " + usage + " and " + target.bucketUsage(name));
        }
        if (usage instanceof Outcome.Done<BucketUsage>(BucketUsage used)) {
            objects += used.objects();
            bytes += used.bytes();
        }
        objects(name);
        uploads(name);
    }

    private void objects(BucketName name) {
        String after = "";
        while (true) {
            ObjectQuery query = new ObjectQuery(name, "", "", after, PAGE);
            Outcome<ObjectPage> page = source.listObjects(query);
            if (!page.equals(target.listObjects(query))) {
                differ("objects of " + name.value() + " after \"" + after + "\"");
            }
            if (!(page instanceof Outcome.Done<ObjectPage>(ObjectPage found)) || !found.truncated()) {
                return;
            }
            after = found.last();
        }
    }

    private void uploads(BucketName name) {
        String afterKey = "";
        String afterId = "";
        while (true) {
            UploadQuery query = new UploadQuery(name, "", "", afterKey, afterId, PAGE);
            Outcome<UploadPage> page = source.listUploads(query);
            if (!page.equals(target.listUploads(query))) {
                differ("uploads of " + name.value() + " after \"" + afterKey + "\"");
            }
            if (!(page instanceof Outcome.Done<UploadPage>(UploadPage found))) {
                return;
            }
            found.uploads().forEach(this::parts);
            uploads += found.uploads().size();
            if (!found.truncated()) {
                return;
            }
            afterKey = found.lastKey();
            afterId = found.lastUploadId();
        }
    }

    private void parts(Upload upload) {
        for (int after = 0; ; ) {
            var page = source.listParts(upload.bucket(), upload.key(), upload.id(), after, PAGE);
            if (!Objects.equals(page, target.listParts(upload.bucket(), upload.key(), upload.id(), after, PAGE))) {
                differ("parts of an upload to " + upload.bucket().value() + "/"
                        + upload.key().value());
            }
            if (!(page instanceof Outcome.Done<PartsPage>(PartsPage found)) || !found.truncated()) {
                return;
            }
            after = found.parts().getLast().number();
        }
    }

    private void differ(String line) {
        differences++;
        if (told.size() < MOST_TOLD) {
            told.add("different: " + line);
        }
    }

    long count() {
        return differences;
    }

    /** The first of them. */
    List<String> differences() {
        return List.copyOf(told);
    }

    String summary() {
        return "compared " + buckets + " buckets, " + objects + " objects of " + bytes + " bytes, " + uploads
                + " uploads: " + (differences == 0 ? "the same" : differences + " differences");
    }
}
