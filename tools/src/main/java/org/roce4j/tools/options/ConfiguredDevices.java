package org.roce4j.tools.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatorProvider;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsProvider;
import picocli.CommandLine.Option;

/** The options of commands that open devices: what the command line adds to the configuration. */
public final class ConfiguredDevices {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Read this instead of roce4j.properties.")
  private Path config;

  @Option(
      names = "--set",
      paramLabel = "SETTING=VALUE",
      description = "Override a setting, such as mtu=1024 or device.roce0.mtu=1024.")
  private Map<String, String> settings = new LinkedHashMap<>();

  /**
   * What file, environment, properties and command line say.
   *
   * @throws org.roce4j.verbs.VerbsException when the configuration is wrong
   */
  public Configuration configuration() {
    Map<String, String> flags = new LinkedHashMap<>(settings);
    if (config != null) {
      flags.put(Configuration.FILE_KEY, config.toString());
    }
    return Configuration.load(flags);
  }

  /** The devices of all backends. */
  public List<RdmaDevice> all() {
    Configuration configuration = configuration();
    List<RdmaDevice> devices = new ArrayList<>();
    for (VerbsProvider provider : Verbs.providers()) {
      devices.addAll(configured(provider, configuration).devices());
    }
    return devices;
  }

  /** A backend, with the configuration if it is the one that has it. */
  public static VerbsProvider configured(VerbsProvider provider, Configuration configuration) {
    return provider instanceof EmulatorProvider ? new EmulatorProvider(configuration) : provider;
  }

  /**
   * The device of that name.
   *
   * @throws ToolFailure if there is none, with the names that there are
   */
  public RdmaDevice device(String name) {
    List<RdmaDevice> devices = all();
    return devices.stream()
        .filter(device -> device.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                ToolFailure.usage(
                    devices.isEmpty()
                        ? "no device was found; 'roce4j devices' says why"
                        : "no device is called '%s'; there are: %s"
                            .formatted(
                                name,
                                devices.stream()
                                    .map(RdmaDevice::name)
                                    .collect(Collectors.joining(", ")))));
  }

  /**
   * What is configured for a device that a command makes for itself; the command's own options win.
   *
   * @param gidIndex of the address
   */
  public DeviceOptions made(String name, Gid address, int gidIndex, TransportName transport) {
    DeviceOptions options =
        configuration()
            .applyTo(DeviceOptions.of(name))
            .withAddresses(List.of(address))
            .withFirstGidIndex(gidIndex);
    return transport == TransportName.AUTO ? options : options.withTransport(transport.toString());
  }

  /** Whether the command line says anything. */
  public boolean given() {
    return config != null || !settings.isEmpty();
  }
}
