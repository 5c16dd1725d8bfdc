package io.headgate.app.config;

import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.Storage;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;

/** Reads accounts that are added at run time by the rules of {@code storage_shards}. */
public final class AddedAccounts {
    private static final String LIST = "storage_shards";
    private final String region;
    private final List<AccountConfig> configured;
    private final EnvironmentReferences references;

    public AddedAccounts(HeadgateConfig config) {
        this.region = config.region();
        this.configured = config.accounts();
        this.references = config.references();
    }

    /**
     * An account as an administrator wrote it.
     *
     * @param definition all that was written, in a form that {@link #reread} reads; references to the environment stay what they are
     */
    public record Written(AccountConfig account, String definition) {}

    /**
     * Reads what an administrator wrote.
     *
     * @param file its name, for errors
     * @throws ConfigException with a line for each thing that is wrong, without secrets
     */
    public Written read(String file, String document) throws ConfigException {
        RawConfig.Element element = element(file, document);
        AccountConfig account = new AccountReader(region).read(element);
        refuseRelativePath(account, element);
        refuseTakenPlace(account);
        return new Written(account, definition(element));
    }

    /** @throws ConfigException with all that is wrong with an account by itself */
    private RawConfig.Element element(String source, String document) throws ConfigException {
        Problems problems = new Problems();
        RawConfig.Element element =
                new YamlSource(YamlSource.printable(source), references, problems).readElement(LIST, document);
        new Values(element.values(), element.origin()).check(LIST + "[].", problems);
        problems.check(() -> new AccountReader(region).read(element));
        problems.throwIfAny();
        return element;
    }

    /** Each gateway, and each command, would begin it at its own working directory. */
    private static void refuseRelativePath(AccountConfig account, RawConfig.Element element) throws ConfigException {
        RawValue written = element.values().get("path");
        if (account.storage() instanceof Storage.Local && written != null) {
            String path = written.shown();
            if (!path.startsWith("/") && !path.startsWith("${")) {
                throw written.origin().error("\"" + path + "\" does not begin with /, as it must here");
            }
        }
    }

    private static String definition(RawConfig.Element element) {
        Map<String, Object> document = new TreeMap<>();
        Map<String, Map<String, String>> sections = new TreeMap<>();
        element.values().forEach((key, value) -> {
            int dot = key.indexOf('.');
            if (dot < 0) {
                document.put(key, value.shown());
            } else {
                sections.computeIfAbsent(key.substring(0, dot), _ -> new TreeMap<>())
                        .put(key.substring(dot + 1), value.shown());
            }
        });
        document.putAll(sections);
        return new Dump(DumpSettings.builder()
                        .setDefaultFlowStyle(FlowStyle.FLOW)
                        .setDefaultScalarStyle(ScalarStyle.DOUBLE_QUOTED)
                        .setWidth(Integer.MAX_VALUE)
                        .build())
                .dumpToString(document)
                .strip();
    }

    /** Reads what is kept of an account. Another gateway may have read it before, whose environment is another. */
    public AccountConfig reread(String definition) throws ConfigException {
        AccountConfig account = new AccountReader(region).read(element("the account's definition", definition));
        refuseTakenPlace(account);
        return account;
    }

    private void refuseTakenPlace(AccountConfig account) throws ConfigException {
        for (AccountConfig other : configured) {
            if (!other.name().equals(account.name()) && samePlace(other.storage(), account.storage())) {
                throw new ConfigException(
                        "the account " + account.name() + " would be where the account " + other.name() + " is");
            }
        }
    }

    /** Whether two accounts would hold their blobs under the same names. */
    public static boolean samePlace(Storage one, Storage other) {
        return switch (one) {
            case Storage.Local local ->
                other instanceof Storage.Local that && local.path().equals(that.path());
            case Storage.S3 s3 ->
                other instanceof Storage.S3 that
                        && s3.endpoint().equals(that.endpoint())
                        && s3.bucket().equals(that.bucket())
                        && s3.prefix().equals(that.prefix());
            case Storage.Azure azure ->
                other instanceof Storage.Azure that
                        && azure.endpoint().equals(that.endpoint())
                        && azure.container().equals(that.container())
                        && azure.prefix().equals(that.prefix());
        };
    }
}
