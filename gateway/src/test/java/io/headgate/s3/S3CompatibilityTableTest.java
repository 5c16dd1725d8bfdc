package io.headgate.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** {@code docs/s3-compatibility.md} says what the router does. */
class S3CompatibilityTableTest {
    private record Row(String operation, String request, boolean built) {}

    private static List<Row> table() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../docs/s3-compatibility.md"))) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 6 && cells[2].strip().startsWith("`")) {
                rows.add(new Row(
                        cells[1].strip(),
                        cells[2].strip().replace("`", ""),
                        cells[3].strip().equals("yes")));
            }
        }
        return rows;
    }

    private static S3Request route(Row row) {
        String[] parts = row.request().split(" ", 3);
        List<Field> fields = parts.length == 3 ? List.of(new Field("x-amz-copy-source", "bucket/key")) : List.of();
        String target = parts[1].replaceFirst("^/b", "/bucket");
        RequestHead head = new RequestHead(parts[0], target, fields, "127.0.0.1");
        return new Router("").route(head, QueryParameters.parse(head.rawQuery()));
    }

    @Test
    void every_row_of_the_table_is_what_the_router_does() throws IOException {
        assertThat(table()).hasSizeGreaterThan(90).allSatisfy(row -> {
            S3Request request = route(row);
            assertThat(request.operation()).isEqualTo(row.operation());
            assertThat(!(request instanceof S3Request.Unsupported)).isEqualTo(row.built());
        });
    }

    @Test
    void every_operation_that_is_built_stands_in_the_table() throws IOException {
        Set<String> inTable = new TreeSet<>();
        table().stream().filter(Row::built).map(Row::operation).forEach(inTable::add);
        Set<String> built = new TreeSet<>();
        collect(S3Request.class, built);
        built.remove("Unsupported");
        assertThat(built).isEqualTo(inTable);
    }

    private static void collect(Class<?> type, Set<String> names) {
        if (type.isRecord()) {
            names.add(type.getSimpleName());
        } else {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                collect(permitted, names);
            }
        }
    }
}
