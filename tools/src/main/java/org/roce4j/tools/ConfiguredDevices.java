package org.roce4j.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.EmulatorProvider;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsProvider;
import picocli.CommandLine.Option;

/** The options of commands that list devices: what the command line adds to the configuration. */
final class ConfiguredDevices {
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

  /** What file, environment, properties and command line say. */
  Configuration configuration() {
    Map<String, String> flags = new LinkedHashMap<>(settings);
    if (config != null) {
      flags.put(Configuration.FILE_KEY, config.toString());
    }
    return Configuration.load(flags);
  }

  /**
   * The devices of all backends.
   *
   * @throws org.roce4j.verbs.VerbsException when the configuration is wrong
   */
  List<RdmaDevice> all() {
    Configuration configuration = configuration();
    List<RdmaDevice> devices = new ArrayList<>();
    for (VerbsProvider provider : Verbs.providers()) {
      VerbsProvider source =
          provider instanceof EmulatorProvider ? new EmulatorProvider(configuration) : provider;
      devices.addAll(source.devices());
    }
    return devices;
  }
}
