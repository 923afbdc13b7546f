package org.roce4j.tools.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatorProvider;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Option;

/** The options of commands that open devices, added to the configuration. */
public final class ConfiguredDevices {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      // Lines of their own: picocli would break a name after its dot.
      description = {"Read this instead of", "roce4j.properties."})
  private Path config;

  @Option(
      names = "--set",
      paramLabel = "SETTING=VALUE",
      description = {"Override a setting, such as mtu=1024 or", "device.roce0.mtu=1024."})
  private Map<String, String> settings = new LinkedHashMap<>();

  /**
   * The configuration from file, environment, properties and command line.
   *
   * @throws org.roce4j.verbs.VerbsException if the configuration is wrong
   */
  public Configuration loaded() {
    Map<String, String> flags = new LinkedHashMap<>(settings);
    if (config != null) {
      flags.put(Configuration.FILE_KEY, config.toString());
    }
    return Configuration.load(flags);
  }

  /**
   * As {@link #loaded}.
   *
   * @throws ToolFailure if the configuration is wrong: nothing was started
   */
  public Configuration configuration() {
    return understood(this::loaded);
  }

  /** The devices of all backends. */
  public List<RdmaDevice> all() {
    Configuration configuration = configuration();
    List<RdmaDevice> devices = new ArrayList<>();
    for (VerbsProvider provider : Verbs.providers()) {
      devices.addAll(understood(configured(provider, configuration)::devices));
    }
    return devices;
  }

  /** A wrong setting counts as a wrong command line, from any source; so does a missing file. */
  private static <T> T understood(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (VerbsException e) {
      boolean wrong = e.errno() == Errno.EINVAL || e.errno() == Errno.EIO;
      throw wrong ? ToolFailure.usage(e.remedy()) : e;
    }
  }

  /** A backend; the emulator's gets the configuration. */
  public static VerbsProvider configured(VerbsProvider provider, Configuration configuration) {
    return provider instanceof EmulatorProvider ? new EmulatorProvider(configuration) : provider;
  }

  /**
   * The device with a name.
   *
   * @throws ToolFailure if there is none; the message lists the names
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
                        : Wording.of(
                            "no device is called '%s'; there are: %s",
                            name,
                            devices.stream()
                                .map(RdmaDevice::name)
                                .collect(Collectors.joining(", ")))));
  }

  /**
   * The options of a device that a command makes: the configuration's, overridden by the command's
   * own.
   *
   * @param gidIndex of the address
   */
  public DeviceOptions made(String name, Gid address, int gidIndex, TransportName transport) {
    Configuration configuration = configuration();
    DeviceOptions options =
        understood(() -> configuration.applyTo(DeviceOptions.of(name)))
            .withAddresses(List.of(address))
            .withFirstGidIndex(gidIndex);
    return transport == TransportName.AUTO ? options : options.withTransport(transport.toString());
  }

  /** Whether the command line has any of these options. */
  public boolean given() {
    return config != null || !settings.isEmpty();
  }
}
