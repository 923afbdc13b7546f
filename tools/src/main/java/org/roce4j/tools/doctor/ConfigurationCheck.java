package org.roce4j.tools.doctor;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** The configuration is valid, and its devices have addresses of this machine. */
final class ConfigurationCheck implements MachineCheck {
  private static final String NAME = "configuration";

  private final Supplier<Configuration> source;

  ConfigurationCheck(Supplier<Configuration> source) {
    this.source = source;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    Configuration configuration;
    try {
      configuration = source.get();
    } catch (VerbsException e) {
      return List.of(
          Finding.fail(NAME, e.remedy(), "correct it; docs/configuration.md lists the settings"));
    }
    List<Finding> findings = new ArrayList<>();
    for (DeviceOptions device : configuration.devices()) {
      for (Gid gid : device.addresses()) {
        if (!isOurs(gid.toInetAddress(), system)) {
          findings.add(
              Finding.fail(
                  NAME,
                  Wording.of(
                      "device %s has the address %s, which is none of this machine",
                      device.name(), gid.addressText()),
                  Wording.of(
                      "give device.%s.addresses one of: %s", device.name(), addresses(system))));
        }
      }
    }
    if (findings.isEmpty()) {
      int count = configuration.devices().size();
      findings.add(
          Finding.ok(
              NAME,
              (count == 0 ? "the usual devices" : count + " devices")
                  + configuration.file().map(file -> ", " + file).orElse("")));
    }
    return findings;
  }

  private static boolean isOurs(InetAddress address, SystemView system) {
    boolean localNet = address.getAddress().length == 4 && address.isLoopbackAddress();
    return localNet
        || system.interfaces().stream().anyMatch(each -> contains(each.addresses(), address));
  }

  private static boolean contains(List<InetAddress> addresses, InetAddress wanted) {
    return addresses.stream()
        .anyMatch(address -> Arrays.equals(address.getAddress(), wanted.getAddress()));
  }

  private static String addresses(SystemView system) {
    return system.interfaces().stream()
        .flatMap(each -> each.addresses().stream())
        .map(address -> address.getHostAddress().replaceFirst("%.*", ""))
        .collect(Collectors.joining(", "));
  }
}
