package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Which port carries a device's datagrams: the one asked for, or the best that works here. */
public final class PortSelection {
  private PortSelection() {}

  /** Every kind of port on the class path, the preferred first. */
  public static List<PortProvider> providers() {
    List<PortProvider> providers = new ArrayList<>();
    ServiceLoader.load(PortProvider.class).forEach(providers::add);
    providers.sort(Comparator.comparingInt(PortProvider::priority).reversed());
    return providers;
  }

  /**
   * The port of that name, or for {@code auto} the preferred one that works.
   *
   * @throws VerbsException EOPNOTSUPP, saying why not and what there is
   */
  public static PortProvider choose(String transport) {
    StringBuilder reasons = new StringBuilder();
    for (PortProvider provider : providers()) {
      boolean asked = provider.name().equals(transport);
      if (!asked && !DeviceOptions.AUTO.equals(transport)) {
        continue;
      }
      if (provider.unavailable().isEmpty()) {
        return provider;
      }
      reasons
          .append(reasons.isEmpty() ? "" : "; ")
          .append(provider.name())
          .append(": ")
          .append(provider.unavailable().get());
    }
    List<String> names = providers().stream().map(PortProvider::name).toList();
    throw new VerbsException(
        Errno.EOPNOTSUPP,
        reasons.isEmpty()
            ? "there is no transport '%s'; on the class path: %s".formatted(transport, names)
            : reasons.toString());
  }
}
