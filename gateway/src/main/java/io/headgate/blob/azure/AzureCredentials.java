package io.headgate.blob.azure;

/** Who the gateway is to the service. None of them shows a secret in its {@code toString}. */
public sealed interface AzureCredentials {
    /**
     * One of the two keys of a storage account.
     *
     * @param key in Base64
     */
    record SharedKey(String account, String key) implements AzureCredentials {
        @Override
        public String toString() {
            return "SharedKey[" + account + "]";
        }
    }

    /** A shared access signature for the account or the container, without the question mark. */
    record Sas(String token) implements AzureCredentials {
        @Override
        public String toString() {
            return "Sas[]";
        }
    }

    /** An identity of Microsoft Entra, which the SDK finds in environment, workload, machine or developer's tools. */
    record Identity() implements AzureCredentials {}
}
