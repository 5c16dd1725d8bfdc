package io.headgate.namespace.postgres;

import io.headgate.namespace.AccountShare;
import io.headgate.namespace.AccountUse;
import io.headgate.namespace.ShareRules;
import io.headgate.namespace.ShareRules.Other;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The gateways' shares of the accounts. One gateway at a time works out its own, by the database's clock. */
final class AccountShares {
    /** The letters HGshares. */
    private static final long LOCK = 0x4847736861726573L;

    /** What a crash of the database takes back of this is over when it is up again. */
    private static final String NO_FLUSH = "SET LOCAL synchronous_commit = off";

    /** Who waits longer falls back to its fair part anyway. */
    private static final String SHORT_WAIT = "SET LOCAL lock_timeout = '1s'";

    private static final String TAKE_TURN = "SELECT pg_advisory_xact_lock(" + LOCK + ")";
    private static final String NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    private static final String ALL = """
            SELECT account, gateway, ends_at, requests_held, requests_wanted, requests_sent, ingress_held, ingress_wanted,
              egress_held, egress_wanted, lowered_to, reserved_bytes FROM account_shares""";
    private static final String PUT = """
            INSERT INTO account_shares (account, gateway, ends_at, requests_held, requests_wanted, requests_sent,
              ingress_held, ingress_wanted, egress_held, egress_wanted, lowered_to, reserved_bytes)
            SELECT account, ?, ?, rh, rw, rs, ih, iw, eh, ew, lowered_to, reserved
            FROM unnest(?::text[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[],
              ?::float8[], ?::bigint[]) AS d (account, rh, rw, rs, ih, iw, eh, ew, lowered_to, reserved) ORDER BY account
            ON CONFLICT (account, gateway) DO UPDATE SET ends_at = excluded.ends_at,
              requests_held = excluded.requests_held, requests_wanted = excluded.requests_wanted,
              requests_sent = excluded.requests_sent, ingress_held = excluded.ingress_held,
              ingress_wanted = excluded.ingress_wanted, egress_held = excluded.egress_held,
              egress_wanted = excluded.egress_wanted, lowered_to = excluded.lowered_to,
              reserved_bytes = excluded.reserved_bytes""";
    private static final String FORGET = "DELETE FROM account_shares WHERE ends_at < ?";

    /** Longer than a silent gateway counts. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private AccountShares() {}

    private record Row(String account, String gateway, long endsAtMillis, AccountUse use) {
        Other at(long nowMillis) {
            return new Other(use, Duration.ofMillis(endsAtMillis - nowMillis));
        }
    }

    static List<AccountShare> share(Tx tx, String gateway, List<AccountUse> uses, Duration lasting)
            throws SQLException {
        long[] now = new long[1];
        List<Row> rows = new ArrayList<>();
        tx.session()
                .pipeline()
                .update(NO_FLUSH)
                .update(SHORT_WAIT)
                .query(TAKE_TURN, _ -> {})
                .query(NOW, row -> now[0] = row.getLong(1))
                .query(ALL, row -> rows.add(read(row)))
                .run();
        Map<String, List<Other>> others = new HashMap<>();
        for (Row row : rows) {
            if (!row.gateway.equals(gateway)) {
                others.computeIfAbsent(row.account, _ -> new ArrayList<>()).add(row.at(now[0]));
            }
        }
        List<AccountShare> shares = uses.stream()
                .map(use -> ShareRules.share(use, others.getOrDefault(use.account(), List.of())))
                .toList();
        Pipeline pipeline = tx.session().pipeline();
        put(pipeline, gateway, now[0] + lasting.toMillis(), uses, shares);
        pipeline.update(FORGET, now[0] - REMEMBERED.toMillis());
        tx.last(pipeline);
        return shares;
    }

    private static Row read(ResultSet row) throws SQLException {
        AccountUse use = new AccountUse(
                row.getString(1),
                rate(row.getDouble(4), row.getDouble(5), row.getDouble(6)),
                rate(row.getDouble(7), row.getDouble(8), 0),
                rate(row.getDouble(9), row.getDouble(10), 0),
                row.getDouble(11),
                row.getLong(12));
        return new Row(row.getString(1), row.getString(2), row.getLong(3), use);
    }

    /** Its ceiling is the other gateway's matter. */
    private static AccountUse.Rate rate(double held, double wanted, double sent) {
        return new AccountUse.Rate(Double.POSITIVE_INFINITY, held, wanted, sent);
    }

    private static void put(
            Pipeline pipeline, String gateway, long endsAtMillis, List<AccountUse> uses, List<AccountShare> shares) {
        Column accounts = Column.text();
        List<Column> rates = Stream.generate(Column::doubles).limit(8).toList();
        Column reserved = Column.bigint();
        for (int i = 0; i < uses.size(); i++) {
            AccountUse use = uses.get(i);
            AccountShare share = shares.get(i);
            accounts.add(use.account());
            double[] figures = {
                share.requests().held(),
                use.requests().wanted(),
                use.requests().sent(),
                share.ingress().held(),
                use.ingress().wanted(),
                share.egress().held(),
                use.egress().wanted(),
                use.loweredTo()
            };
            for (int column = 0; column < figures.length; column++) {
                rates.get(column).add(figures[column]);
            }
            reserved.add(use.reservedBytes());
        }
        pipeline.update(
                PUT,
                gateway,
                endsAtMillis,
                accounts,
                rates.get(0),
                rates.get(1),
                rates.get(2),
                rates.get(3),
                rates.get(4),
                rates.get(5),
                rates.get(6),
                rates.get(7),
                reserved);
    }
}
