package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.roce4j.emulator.Configuration;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j devices}. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    header = "List the devices of all backends with their addresses, state and MTU.",
    description =
        "%nEach device is opened for a moment to ask it; one whose address is in use says so. A"
            + " backend without devices says why.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j devices",
      "  roce4j devices --json",
      "  roce4j devices --set device.roce0.addresses=192.0.2.1",
    })
final class DevicesCommand implements Callable<Integer> {
  private static final int PORT = 1;

  private final Supplier<List<VerbsProvider>> providers;

  @Spec private CommandSpec spec;
  @Mixin private ConfiguredDevices configured;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  DevicesCommand() {
    this(Verbs::providers);
  }

  DevicesCommand(Supplier<List<VerbsProvider>> providers) {
    this.providers = providers;
  }

  /** What a device answered, or why it did not answer. */
  private record Told(
      RdmaDevice device, PortAttr port, List<GidEntry> gids, VerbsException refused) {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<Map<String, Object>> backends = new ArrayList<>();
    Configuration configuration = configured.configuration();
    for (VerbsProvider known : providers.get()) {
      VerbsProvider provider = ConfiguredDevices.configured(known, configuration);
      List<Told> devices = provider.devices().stream().map(DevicesCommand::ask).toList();
      Optional<String> unavailable = provider.unavailable();
      if (json) {
        Map<String, Object> backend = new LinkedHashMap<>();
        backend.put("backend", provider.name());
        backend.put("unavailable", unavailable.orElse(null));
        backend.put("devices", devices.stream().map(DevicesCommand::describe).toList());
        backends.add(backend);
      } else {
        print(out, provider, unavailable, devices);
      }
    }
    if (json) {
      out.println(Json.text(Map.of("backends", backends)));
    } else if (providers.get().isEmpty()) {
      out.println("no backend is on the class path");
    }
    out.flush();
    return 0;
  }

  private static Told ask(RdmaDevice device) {
    try (Context context = device.open()) {
      return new Told(device, context.queryPort(PORT), context.queryGidTable(), null);
    } catch (VerbsException e) {
      return new Told(device, null, List.of(), e);
    }
  }

  private static void print(
      PrintWriter out, VerbsProvider provider, Optional<String> unavailable, List<Told> devices) {
    out.println(
        "backend "
            + provider.name()
            + unavailable
                .map(why -> ": unavailable: " + why)
                .orElse(devices.isEmpty() ? ": no devices" : ""));
    devices.forEach(told -> print(out, told));
  }

  private static void print(PrintWriter out, Told told) {
    RdmaDevice device = told.device();
    VerbsException refused = told.refused();
    if (refused != null) {
      out.println(
          Wording.of(
              "  %s  cannot be opened: %s (%s)", device.name(), refused.remedy(), refused.errno()));
      return;
    }
    PortAttr port = told.port();
    out.println(
        Wording.of(
            "  %s  state %s, MTU %d of %d, %s, GUID %016x",
            device.name(),
            port.state().description(),
            port.activeMtu().bytes(),
            port.maxMtu().bytes(),
            device.nodeType().description(),
            device.guid()));
    boolean several = told.gids().stream().anyMatch(entry -> entry.portNum() != PORT);
    for (GidEntry entry : told.gids()) {
      out.println(
          Wording.of(
              "    GID %d%s: %s (%s)",
              entry.gidIndex(),
              several ? " of port " + entry.portNum() : "",
              entry.gid().addressText(),
              entry.gid().toGroups()));
    }
  }

  private static Map<String, Object> describe(Told told) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", told.device().name());
    json.put("guid", Wording.of("%016x", told.device().guid()));
    if (told.refused() != null) {
      json.put("errno", told.refused().errno().name());
      json.put("refused", told.refused().remedy());
      return json;
    }
    json.put("state", told.port().state().description());
    json.put("activeMtu", told.port().activeMtu().bytes());
    json.put("maxMtu", told.port().maxMtu().bytes());
    List<Map<String, Object>> gids = new ArrayList<>();
    for (GidEntry entry : told.gids()) {
      Map<String, Object> gid = new LinkedHashMap<>();
      gid.put("port", entry.portNum());
      gid.put("index", entry.gidIndex());
      gid.put("address", entry.gid().addressText());
      gid.put("gid", entry.gid().toGroups());
      gids.add(gid);
    }
    json.put("gids", gids);
    return json;
  }
}
