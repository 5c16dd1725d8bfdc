package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.policy.Grant.Grantee;
import io.headgate.policy.Grant.Permission;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AccessControlListTest {
    private static String shown(AccessControlList acl) {
        return acl.grants().stream()
                .map(grant -> switch (grant.grantee()) {
                            case Grantee.Account(String id) -> id;
                            case Grantee.AllUsers() -> "all";
                            case Grantee.AuthenticatedUsers() -> "known";
                            case Grantee.LogDelivery() -> "logs";
                        }
                        + " " + grant.permission())
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "private | owner FULL_CONTROL",
                "public-read | all READ, owner FULL_CONTROL",
                "public-read-write | all READ, all WRITE, owner FULL_CONTROL",
                "authenticated-read | known READ, owner FULL_CONTROL",
                "bucket-owner-read | owner FULL_CONTROL",
                "bucket-owner-full-control | owner FULL_CONTROL",
                "log-delivery-write | logs WRITE, logs READ_ACP, owner FULL_CONTROL",
                "aws-exec-read | owner FULL_CONTROL"
            })
    void canned_acls_of_buckets(String name, String grants) {
        AccessControlList acl = AccessControlList.ofBucket(CannedAcl.of(name).orElseThrow(), "owner");
        assertThat(shown(acl)).isEqualTo(grants);
        assertThat(acl.owner()).isEqualTo("owner");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "private | writer FULL_CONTROL",
                "public-read | all READ, writer FULL_CONTROL",
                "public-read-write | all READ, all WRITE, writer FULL_CONTROL",
                "authenticated-read | known READ, writer FULL_CONTROL",
                "bucket-owner-read | writer FULL_CONTROL, owner READ",
                "bucket-owner-full-control | writer FULL_CONTROL, owner FULL_CONTROL",
                "log-delivery-write | writer FULL_CONTROL",
                "aws-exec-read | writer FULL_CONTROL"
            })
    void canned_acls_of_objects(String name, String grants) {
        CannedAcl canned = CannedAcl.of(name).orElseThrow();
        assertThat(canned.headerValue()).isEqualTo(name);
        assertThat(shown(AccessControlList.ofObject(canned, "writer", "owner"))).isEqualTo(grants);
        assertThat(AccessControlList.ofObject(canned, "owner", "owner").grants().getLast())
                .isEqualTo(new Grant(new Grantee.Account("owner"), Permission.FULL_CONTROL));
    }

    @Test
    void other_names_are_unknown() {
        assertThat(CannedAcl.of("public-ready")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "READ | s3:ListBucket s3:ListBucketVersions s3:ListBucketMultipartUploads "
                        + "| s3:GetObject s3:GetObjectVersion s3:GetObjectTorrent",
                "WRITE | s3:PutObject | -",
                "READ_ACP | s3:GetBucketAcl | s3:GetObjectAcl s3:GetObjectVersionAcl",
                "WRITE_ACP | s3:PutBucketAcl | s3:PutObjectAcl s3:PutObjectVersionAcl",
                "FULL_CONTROL | s3:ListBucket s3:ListBucketVersions s3:ListBucketMultipartUploads s3:PutObject "
                        + "s3:GetBucketAcl s3:PutBucketAcl | s3:GetObject s3:GetObjectVersion s3:GetObjectTorrent "
                        + "s3:GetObjectAcl s3:GetObjectVersionAcl s3:PutObjectAcl s3:PutObjectVersionAcl"
            })
    void permissions_permit_these_actions_and_no_others(Permission permission, String onBucket, String onObject) {
        List<String> all = Stream.of(
                        "ListBucket ListBucketVersions ListBucketMultipartUploads PutObject GetBucketAcl PutBucketAcl",
                        "GetObject GetObjectVersion GetObjectTorrent GetObjectAcl GetObjectVersionAcl PutObjectAcl",
                        "PutObjectVersionAcl DeleteObject DeleteObjectVersion GetBucketPolicy DeleteBucket",
                        "GetObjectTagging PutObjectTagging GetObjectAttributes AbortMultipartUpload")
                .flatMap(line -> Stream.of(line.split(" ")))
                .map(name -> "s3:" + name)
                .toList();
        Caller bob = Caller.User.ofOwnAccount("bob", List.of());
        AccessControlList acl =
                new AccessControlList("owner", List.of(new Grant(new Grantee.Account("bob"), permission)));
        assertThat(all.stream().filter(action -> acl.permitsOnBucket(bob, action, false)))
                .containsExactlyInAnyOrder(onBucket.split(" "));
        assertThat(all.stream().filter(action -> acl.permitsOnObject(bob, action, false)))
                .containsExactlyInAnyOrder(onObject == null ? new String[0] : onObject.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "public-read, anonymous, false, true",
        "public-read, bob, false, true",
        "public-read, bob, true, false",
        "authenticated-read, anonymous, false, false",
        "authenticated-read, bob, false, true",
        "authenticated-read, bob, true, false",
        "private, bob, false, false",
        "private, writer, true, true",
        "log-delivery-write, bob, false, false"
    })
    void groups_are_everybody_and_everybody_who_signs(
            String name, String caller, boolean ignorePublic, boolean permitted) {
        AccessControlList acl = AccessControlList.ofBucket(CannedAcl.of(name).orElseThrow(), "writer");
        Caller asking =
                caller.equals("anonymous") ? new Caller.Anonymous() : Caller.User.ofOwnAccount(caller, List.of());
        assertThat(acl.permitsOnBucket(asking, "s3:ListBucket", ignorePublic)).isEqualTo(permitted);
    }

    @Test
    void an_acl_has_at_most_a_hundred_grants() {
        Grant grant = new Grant(new Grantee.Account("bob"), Permission.READ);
        assertThat(new AccessControlList("owner", Collections.nCopies(100, grant)).grants())
                .hasSize(100);
        assertThatThrownBy(() -> new AccessControlList("owner", Collections.nCopies(101, grant)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
