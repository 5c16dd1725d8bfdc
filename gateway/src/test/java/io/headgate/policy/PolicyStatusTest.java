package io.headgate.policy;

import static io.headgate.policy.PolicyText.allowAll;
import static io.headgate.policy.PolicyText.denyAll;
import static io.headgate.policy.PolicyText.ofBucket;
import static io.headgate.policy.PolicyText.statement;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PolicyStatusTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "'Principal': '*' | true",
                "'Principal': {'AWS': '*'} | true",
                "'Principal': {'AWS': ['alice', '*']} | true",
                "'Principal': {'AWS': 'arn:aws:iam::s3tenant1:root'} | false",
                "'Principal': {'CanonicalUser': 'alice'} | false",
                "'Principal': {'Service': 'logging.s3.amazonaws.com'} | false"
            })
    void what_everybody_may_is_public(String who, boolean isPublic) {
        assertThat(ofBucket(statement("Allow", who, "s3:GetObject", "arn:aws:s3:::photos/*", ""))
                        .isPublic())
                .isEqualTo(isPublic);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "'IpAddress': {'aws:SourceIp': '10.0.0.0/32'} | false",
                "'IpAddress': {'AWS:sourceip': ['10.0.0.0/8', '2001:db8::/32']} | false",
                "'IpAddress': {'aws:SourceIp': '0.0.0.0/1'} | true",
                "'IpAddress': {'aws:SourceIp': ['10.0.0.0/8', '11.0.0.0/7']} | true",
                "'IpAddress': {'aws:SourceIp': '2001:db8::/31'} | true",
                "'IpAddressIfExists': {'aws:SourceIp': '10.0.0.0/8'} | true",
                "'NotIpAddress': {'aws:SourceIp': '10.0.0.0/8'} | true",
                "'StringEquals': {'aws:SourceVpc': 'vpc-1'} | false",
                "'StringLike': {'aws:SourceVpc': 'vpc-1'} | false",
                "'StringLike': {'aws:SourceVpc': 'vpc-*'} | true",
                "'StringEquals': {'aws:SourceVpc': '${aws:Referer}'} | true",
                "'StringNotEquals': {'aws:SourceVpc': 'vpc-1'} | true",
                "'StringEqualsIfExists': {'aws:SourceVpc': 'vpc-1'} | true",
                "'ForAllValues:StringEquals': {'aws:SourceVpc': 'vpc-1'} | true",
                "'Null': {'aws:SourceVpc': 'false'} | true",
                "'ArnEquals': {'aws:SourceArn': 'arn:aws:s3:::logs'} | false",
                "'ArnLike': {'aws:SourceArn': 'arn:aws:s3:::*'} | true",
                "'StringEquals': {'aws:SourceAccount': ['alice', 'bob']} | false",
                "'StringLike': {'aws:SourceAccount': ['alice', '*']} | true",
                "'StringEquals': {'aws:userid': 'alice'} | false",
                "'StringLike': {'aws:userid': 'AROA:*'} | true",
                "'StringEquals': {'aws:PrincipalOrgID': 'o-1'} | false",
                "'StringEquals': {'s3:DataAccessPointAccount': 'alice'} | false",
                "'StringLike': {'s3:DataAccessPointArn': 'arn:aws:s3:eu-west-1:alice:accesspoint/*'} | false",
                "'StringLike': {'s3:DataAccessPointArn': 'arn:aws:s3:eu-west-1:*:accesspoint/a'} | true",
                "'StringEquals': {'aws:Referer': 'http://www.example.com/'} | true",
                "'Bool': {'aws:SecureTransport': true} | true",
                "'Bool': {'aws:SecureTransport': true}, 'StringEquals': {'aws:SourceVpc': 'vpc-1'} | false"
            })
    void a_fixed_network_account_or_user_makes_it_not_public(String condition, boolean isPublic) {
        assertThat(ofBucket(allowAll("s3:GetObject", condition)).isPublic()).isEqualTo(isPublic);
    }

    @Test
    void one_public_statement_is_enough_and_what_is_denied_is_not_public() {
        String pinned = allowAll("s3:GetObject", "'StringEquals': {'aws:SourceVpc': 'vpc-1'}");
        assertThat(ofBucket(pinned, allowAll("s3:ListBucket", "")).isPublic()).isTrue();
        assertThat(ofBucket(pinned, denyAll("s3:ListBucket", "")).isPublic()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "PUBLIC_READ, OBJECT_WRITER, false, true",
        "AUTHENTICATED_READ, BUCKET_OWNER_PREFERRED, false, true",
        "PRIVATE, OBJECT_WRITER, false, false",
        "LOG_DELIVERY_WRITE, OBJECT_WRITER, false, false",
        "PUBLIC_READ, BUCKET_OWNER_ENFORCED, false, false",
        "PUBLIC_READ, OBJECT_WRITER, true, false"
    })
    void a_bucket_is_public_by_its_acl_too(
            CannedAcl acl, ObjectOwnership ownership, boolean blocked, boolean isPublic) {
        BucketAccess bucket = BucketAccess.ofOwner("owner")
                .withOwnership(ownership)
                .withAcl(AccessControlList.ofBucket(acl, "owner"))
                .withBlock(blocked ? PublicAccessBlock.ALL : PublicAccessBlock.NONE);
        assertThat(bucket.isPublic()).isEqualTo(isPublic);
    }

    @Test
    void a_bucket_whose_public_policy_is_restricted_is_not_public() {
        BucketAccess bucket = BucketAccess.ofOwner("owner").withPolicy(ofBucket(allowAll("s3:GetObject", "")));
        assertThat(bucket.isPublic()).isTrue();
        assertThat(bucket.withBlock(PublicAccessBlock.ALL).isPublic()).isFalse();
    }
}
