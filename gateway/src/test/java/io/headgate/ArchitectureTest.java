package io.headgate;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.toUnmodifiableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Holds the import table of the architecture: each package may use itself and what its row names, nothing else. */
@AnalyzeClasses(packages = "io.headgate", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    private static final String ROOT = "io.headgate";

    /** Package to the packages it may import; {@code app} has no row because it may import all. */
    private static final Map<String, Set<String>> MAY_IMPORT = Map.ofEntries(
            row("domain"),
            row("http", "domain"),
            row("s3", "domain", "http"),
            row("s3.auth", "domain", "http", "s3"),
            row("s3.form", "domain", "s3"),
            row("cors"),
            row(
                    "s3.op",
                    "domain",
                    "http",
                    "s3",
                    "s3.auth",
                    "s3.form",
                    "cors",
                    "namespace",
                    "placement",
                    "account",
                    "blob",
                    "policy",
                    "region"),
            row("namespace", "domain"),
            row("namespace.codec", "domain", "namespace"),
            row("namespace.sql", "domain", "namespace", "namespace.codec"),
            row("namespace.cache", "domain", "namespace", "namespace.codec"),
            row("namespace.postgres", "domain", "namespace", "namespace.codec", "namespace.cache"),
            row("namespace.redis", "domain", "namespace", "namespace.codec"),
            row("blob", "domain"),
            row("blob.local", "domain", "blob"),
            row("blob.azure", "domain", "blob"),
            row("blob.s3", "domain", "blob"),
            row("blob.gcs", "domain", "blob"),
            row("account", "domain", "blob", "placement"),
            row("placement", "domain"),
            row("policy", "domain"),
            row("region", "domain", "http", "s3", "s3.auth", "namespace"),
            row("region.sql", "domain", "region"),
            row("region.redis", "domain", "region"),
            row("work", "domain", "namespace", "region", "placement", "account", "blob"),
            row(
                    "admin",
                    "domain",
                    "http",
                    "namespace",
                    "namespace.cache",
                    "account",
                    "placement",
                    "blob",
                    "region",
                    "work"),
            row("cli", "domain"),
            row("app.config", "domain"));

    /** Library package to the packages that alone may use it, {@code app} included only where named. */
    private static final Map<String, Set<String>> LIBRARY_BELONGS_TO = Map.ofEntries(
            row("org.eclipse.jetty..", "http"),
            row("java.sql..", "namespace.sql", "namespace.postgres", "region.sql"),
            row("javax.sql..", "namespace.sql", "namespace.postgres", "region.sql"),
            row("com.github.benmanes.caffeine..", "namespace.sql", "region"),
            row("org.sqlite..", "namespace.sql", "region.sql"),
            row("org.postgresql..", "namespace.postgres", "region.sql"),
            row("com.zaxxer..", "namespace.postgres", "region.sql"),
            row("org.flywaydb..", "namespace.postgres"),
            row("io.lettuce..", "namespace.cache", "namespace.redis", "region.redis"),
            row("io.netty..", "namespace.cache", "namespace.redis", "region.redis"),
            row("io.micrometer..", "admin", "app"),
            row("io.prometheus..", "admin", "app"),
            row("com.fasterxml.jackson..", "policy", "s3.form"),
            row("org.snakeyaml..", "app.config"),
            row("software.amazon.awssdk..", "blob.s3"),
            row("com.azure..", "blob.azure"),
            row("reactor..", "blob.azure"));

    @ArchTest
    static void each_package_imports_only_what_its_row_names(JavaClasses classes) {
        MAY_IMPORT.forEach((name, allowed) -> {
            String[] permitted = Stream.concat(Stream.of(name), allowed.stream())
                    .map(ArchitectureTest::qualified)
                    .toArray(String[]::new);
            ArchRule rule = noClasses()
                    .that()
                    .resideInAPackage(qualified(name))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(ROOT + "..").and(resideOutsideOfPackages(permitted)))
                    .as(name + " imports nothing of Headgate but " + Arrays.toString(permitted))
                    .allowEmptyShould(true);
            rule.check(classes);
        });
    }

    @ArchTest
    static void each_library_is_used_by_its_own_package_only(JavaClasses classes) {
        LIBRARY_BELONGS_TO.forEach((library, owners) -> {
            String[] permitted =
                    owners.stream().map(ArchitectureTest::qualified).toArray(String[]::new);
            ArchRule rule = noClasses()
                    .that()
                    .resideOutsideOfPackages(permitted)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(library)
                    .as(library + " is used by " + owners + " only")
                    .allowEmptyShould(true);
            rule.check(classes);
        });
    }

    @ArchTest
    static final ArchRule the_domain_uses_the_jdk_alone = classes()
            .that()
            .resideInAPackage(qualified("domain"))
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(qualified("domain"), "java..", "javax.crypto..", "org.jspecify..")
            .allowEmptyShould(true);

    /** A database's driver logs in on it, and a core or two give it one thread: what blocks there lets nobody log in. */
    @ArchTest
    static final ArchRule nothing_runs_on_the_common_pool = noClasses()
            .should()
            .callMethod(CompletableFuture.class, "runAsync", Runnable.class)
            .orShould()
            .callMethod(CompletableFuture.class, "supplyAsync", Supplier.class)
            .orShould()
            .callMethod(ForkJoinPool.class, "commonPool")
            .orShould()
            .callMethod(Collection.class, "parallelStream");

    @ArchTest
    static void every_package_has_a_row_in_the_table(JavaClasses classes) {
        Set<String> packages = Stream.concat(
                        Stream.of(classes.getPackage(ROOT)), classes.getPackage(ROOT).getSubpackagesInTree().stream())
                .filter(p -> !p.getClasses().isEmpty())
                .map(JavaPackage::getName)
                .filter(name -> !name.equals(qualified("app")))
                .collect(toUnmodifiableSet());
        assertThat(MAY_IMPORT.keySet().stream().map(ArchitectureTest::qualified))
                .containsAll(packages);
    }

    private static Map.Entry<String, Set<String>> row(String name, String... others) {
        return Map.entry(name, Set.of(others));
    }

    private static String qualified(String name) {
        return ROOT + "." + name;
    }
}
