package io.headgate.blob.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobErrorCode;
import com.azure.storage.common.sas.AccountSasPermission;
import com.azure.storage.common.sas.AccountSasResourceType;
import com.azure.storage.common.sas.AccountSasService;
import com.azure.storage.common.sas.AccountSasSignatureValues;
import io.headgate.blob.BlobNames;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreContract;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import io.headgate.servers.Azurite;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract over Azurite with small blocks, so that many blobs have several; and what is particular to Azure. */
@DisabledIfSystemProperty(named = "headgate.test.azure", matches = "off")
final class AzureBlobStoreTest extends BlobStoreContract {
    private static final Instant SECOND = Instant.ofEpochSecond(1_800_000_000);
    private static final int BLOCK_BYTES = 128 << 10;

    private AzureSettings settings;

    @Override
    protected BlobStore openStore() {
        settings = TestAccount.settings(Azurite.endpoint(Azurite.ACCOUNT), TestAccount.credentials(), BLOCK_BYTES);
        return new AzureBlobStore("az-1", settings, TestAccount.memory());
    }

    private static BlobContainerClient container() {
        return TestAccount.client().getBlobContainerClient(TestAccount.CONTAINER);
    }

    private List<StoredBlob> listed(BlobId id) throws Exception {
        return store.list(id.fanOut(), Instant.EPOCH, Instant.MAX, null, 1000);
    }

    @Test
    void it_is_foreseen_how_many_requests_a_put_takes() {
        assertThat(store.putRequests(BLOCK_BYTES)).as("whole").isEqualTo(1);
        assertThat(store.putRequests(BLOCK_BYTES + 1))
                .as("two blocks and their list")
                .isEqualTo(3);
    }

    @Test
    void blocks_that_a_dead_gateway_left_are_listed_and_deleted() throws Exception {
        BlobId whole = id(9, SECOND);
        BlobId half = id(9, SECOND.plusSeconds(1));
        put(store, whole, 100);
        container()
                .getBlobClient(settings.prefix() + half)
                .getBlockBlobClient()
                .stageBlock(Base64.getEncoder().encodeToString("00000".getBytes()), BinaryData.fromString("half"));

        assertThat(listed(half)).containsExactly(new StoredBlob(whole, 100), new StoredBlob(half, 0));

        store.delete(half);
        assertThat(listed(half)).containsExactly(new StoredBlob(whole, 100));
        assertMissing(half, 0, 1);
    }

    @Test
    void the_container_is_made_only_if_that_is_wished() throws Exception {
        BlobId id = Bytes.freshId();
        String fresh = "made-" + UUID.randomUUID();
        try (BlobStore stubborn = new AzureBlobStore("az-1", inContainer(fresh, false), TestAccount.memory())) {
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> put(stubborn, id, 10))
                    .withMessageContaining(BlobErrorCode.CONTAINER_NOT_FOUND.toString())
                    .extracting(BlobStoreException::kind)
                    .isEqualTo(Kind.ACCOUNT_FAULT);
        }
        for (int length : new int[] {10, BLOCK_BYTES + 10}) {
            String name = "made-" + UUID.randomUUID();
            try (BlobStore willing = new AzureBlobStore("az-1", inContainer(name, true), TestAccount.memory())) {
                put(willing, id, length);
                assertThat(get(willing, id, length)).isEqualTo(Bytes.of(id, length));
            }
        }
    }

    private AzureSettings inContainer(String name, boolean create) {
        return new AzureSettings(
                settings.endpoint(),
                name,
                create,
                settings.prefix(),
                settings.credentials(),
                settings.maxConnections(),
                settings.stallTimeout(),
                settings.blockBytes());
    }

    @Test
    void a_shared_access_signature_opens_the_account_too() throws Exception {
        AccountSasSignatureValues values = new AccountSasSignatureValues(
                OffsetDateTime.now().plusHours(1),
                AccountSasPermission.parse("rwdlc"),
                AccountSasService.parse("b"),
                AccountSasResourceType.parse("sco"));
        AzureCredentials sas = new AzureCredentials.Sas(TestAccount.client().generateAccountSas(values));
        try (BlobStore other = new AzureBlobStore(
                "az-1",
                TestAccount.settings(Azurite.endpoint(Azurite.ACCOUNT), sas, BLOCK_BYTES),
                TestAccount.memory())) {
            other.probe(Bytes.freshId());
            BlobId id = Bytes.freshId();
            put(other, id, 300_000);
            assertThat(get(other, id, 300_000)).isEqualTo(Bytes.of(id, 300_000));
            other.delete(id);
        }
        assertThat(sas.toString()).doesNotContain("sig=");
    }

    @Test
    void accounts_are_apart() throws Exception {
        BlobId id = Bytes.freshId();
        put(store, id, 10);
        AzureSettings elsewhere = TestAccount.settings(
                Azurite.endpoint(Azurite.OTHER_ACCOUNT),
                new AzureCredentials.SharedKey(Azurite.OTHER_ACCOUNT, Azurite.OTHER_KEY),
                BLOCK_BYTES);
        try (BlobStore other = new AzureBlobStore("az-2", elsewhere, TestAccount.memory())) {
            other.probe(Bytes.freshId());
            assertThat(other.list(id.fanOut(), Instant.EPOCH, Instant.MAX, null, 10))
                    .isEmpty();
        }
    }

    @Test
    void an_identity_is_not_looked_for_before_it_is_needed() {
        AzureSettings entra = new AzureSettings(
                java.net.URI.create("https://127.0.0.1:1"),
                "c-1",
                false,
                "",
                new AzureCredentials.Identity(),
                8,
                Duration.ofSeconds(1),
                BLOCK_BYTES);
        new AzureBlobStore("az-1", entra, TestAccount.memory()).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 4095, 65_536, 1 << 24, 1 << 30})
    void the_prefixes_of_a_run_have_all_of_it_and_little_before(int window) {
        BlobNames names = new BlobNames("p/");
        for (long begin : new long[] {0, 255, 256, 1_800_000_000L, 0x6FFFFFFFL, BlobId.MAX_SECOND}) {
            Instant from = Instant.ofEpochSecond(begin);
            BlobNames.Run run = names.run(7, from, from.plusSeconds(window), null);
            if (run.isEmpty()) {
                continue;
            }
            List<String> prefixes = AzureListing.prefixes(run);
            assertThat(prefixes).isSorted().doesNotHaveDuplicates().hasSizeLessThan(92);
            for (long second : new long[] {begin, begin + window / 2, begin + window - 1}) {
                if (second <= BlobId.MAX_SECOND && second >= begin) {
                    String name = names.of(BlobId.of(second, 5, 7, 1));
                    assertThat(prefixes)
                            .as("%s %s", begin, second)
                            .filteredOn(name::startsWith)
                            .hasSize(1);
                }
            }
            if (begin >= 512) {
                String before = names.of(BlobId.of(begin - 512, 5, 7, 1));
                assertThat(prefixes).noneMatch(before::startsWith);
            }
        }
    }
}
