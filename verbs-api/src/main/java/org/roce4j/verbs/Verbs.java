package org.roce4j.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** The list of all devices of all backends ({@code ibv_get_device_list}). Thread-safe. */
public final class Verbs {
  private Verbs() {}

  /** Every backend on the class or module path, in the order the service loader finds them. */
  public static List<VerbsProvider> providers() {
    List<VerbsProvider> found = new ArrayList<>();
    for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
      found.add(provider);
    }
    return List.copyOf(found);
  }

  /** Every device of every backend; nothing is opened by listing. */
  public static List<RdmaDevice> devices() {
    List<RdmaDevice> devices = new ArrayList<>();
    for (VerbsProvider provider : providers()) {
      devices.addAll(provider.devices());
    }
    return List.copyOf(devices);
  }

  /**
   * The device of that name.
   *
   * @throws VerbsException ENODEV, naming the devices that exist and why backends have none, or the
   *     artifacts to add where there is no backend
   */
  public static RdmaDevice device(String name) {
    RequiredArgument.check(name, "name");
    List<VerbsProvider> providers = providers();
    if (providers.isEmpty()) {
      throw new VerbsException(
          Errno.ENODEV,
          "there is no backend on the class or module path; add the artifact"
              + " org.roce4j:roce4j-emulator, a device in software, or org.roce4j:roce4j-hardware,"
              + " the devices of libibverbs");
    }
    List<RdmaDevice> devices = devices();
    StringJoiner names = new StringJoiner(", ");
    for (RdmaDevice device : devices) {
      if (device.name().equals(name)) {
        return device;
      }
      names.add(device.name());
    }
    StringBuilder reasons = new StringBuilder();
    for (VerbsProvider provider : providers) {
      provider
          .unavailable()
          .ifPresent(why -> reasons.append("; ").append(provider.name()).append(": ").append(why));
    }
    throw new VerbsException(
        Errno.ENODEV,
        "no device is called '"
            + name
            + "'; there are: "
            + (names.length() == 0 ? "none" : names)
            + reasons);
  }
}
