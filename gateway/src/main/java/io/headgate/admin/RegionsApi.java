package io.headgate.admin;

import io.headgate.admin.AdminApi.Answer;
import io.headgate.region.GatewayView;
import io.headgate.region.Regions;
import io.headgate.region.Traffic;
import io.headgate.work.RegistryUpkeep;
import io.headgate.work.RegistryUpkeep.Conflict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The regions as this gateway sees them. Thread-safe. */
final class RegionsApi {
    private final String own;
    private final Optional<Regions> regions;
    private final Optional<RegistryUpkeep> upkeep;

    RegionsApi(String own, Optional<Regions> regions, Optional<RegistryUpkeep> upkeep) {
        this.own = own;
        this.regions = regions;
        this.upkeep = upkeep;
    }

    /** The regions, the gateways of the others, and the buckets whose names another region has. */
    Answer list(boolean json) {
        if (regions.isEmpty()) {
            return json
                    ? new Answer.Json(new JsonWriter(64)
                            .beginObject()
                            .name("own")
                            .value(own)
                            .endObject()
                            .endLine())
                    : new Answer.Text("one region, " + own + ": none are configured\n");
        }
        List<GatewayView> gateways = regions.get().peers().gateways();
        List<Traffic> traffic = regions.get().peers().traffic();
        List<Conflict> conflicts = upkeep.map(RegistryUpkeep::conflicts).orElse(List.of());
        return json
                ? new Answer.Json(json(gateways, traffic, conflicts))
                : new Answer.Text(text(gateways, traffic, conflicts));
    }

    private JsonWriter json(List<GatewayView> gateways, List<Traffic> traffic, List<Conflict> conflicts) {
        JsonWriter json = new JsonWriter(1024)
                .beginObject()
                .name("own")
                .value(own)
                .name("regions")
                .beginArray();
        for (Traffic of : traffic) {
            json.beginObject()
                    .name("name")
                    .value(of.region())
                    .name("requests")
                    .value(of.requests())
                    .name("failures")
                    .value(of.failures())
                    .name("sent_bytes")
                    .value(of.sentBytes())
                    .name("received_bytes")
                    .value(of.receivedBytes())
                    .name("gateways")
                    .beginArray();
            gateways.stream()
                    .filter(gateway -> gateway.region().equals(of.region()))
                    .forEach(gateway -> json.beginObject()
                            .name("url")
                            .value(gateway.address().toString())
                            .name("live")
                            .value(gateway.isLive())
                            .name("failure")
                            .value(gateway.failure().orElse(""))
                            .name("in_flight")
                            .value(gateway.inFlight())
                            .endObject());
            json.endArray().endObject();
        }
        json.endArray().name("conflicts").beginArray();
        for (Conflict conflict : conflicts) {
            json.beginObject()
                    .name("bucket")
                    .value(conflict.name().value())
                    .name("region")
                    .value(conflict.region())
                    .endObject();
        }
        return json.endArray().endObject().endLine();
    }

    private String text(List<GatewayView> gateways, List<Traffic> traffic, List<Conflict> conflicts) {
        TextTable table = new TextTable("REGION", "GATEWAY", "STATE", "REQUESTS", "FAILURES");
        for (String name : new TreeSet<>(regions.orElseThrow().names())) {
            Optional<Traffic> of =
                    traffic.stream().filter(one -> one.region().equals(name)).findFirst();
            if (of.isEmpty()) {
                table.row(name, "-", "own", "-", "-");
                continue;
            }
            String requests = Long.toString(of.get().requests());
            String failures = Long.toString(of.get().failures());
            List<GatewayView> its =
                    gateways.stream().filter(one -> one.region().equals(name)).toList();
            if (its.isEmpty()) {
                table.row(name, "-", "no gateways configured", requests, failures);
            }
            for (GatewayView gateway : its) {
                table.row(name, gateway.address().toString(), state(gateway), requests, failures);
            }
        }
        StringBuilder text = new StringBuilder(table.render());
        if (!conflicts.isEmpty()) {
            text.append("\nbuckets of this region whose names another region has:\n");
            conflicts.forEach(conflict -> text.append(conflict.name())
                    .append(" (")
                    .append(conflict.region())
                    .append(")\n"));
        }
        return text.toString();
    }

    private static String state(GatewayView gateway) {
        return gateway.isLive()
                ? "live, " + gateway.inFlight() + " in flight"
                : "dead: " + gateway.failure().orElse("") + "; tried again "
                        + gateway.retryAt().map(Instant::toString).orElse("");
    }
}
