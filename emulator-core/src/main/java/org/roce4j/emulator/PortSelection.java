package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * Chooses the port that carries a device's datagrams: the requested one, or the best that works
 * here.
 */
public final class PortSelection {
  /** The ports that have an artifact {@code roce4j-port-NAME}. */
  private static final Set<String> OWN = Set.of("linux", "netty");

  private PortSelection() {}

  /** All ports on the class or module path, the preferred one first. */
  public static List<PortProvider> providers() {
    List<PortProvider> providers = new ArrayList<>();
    ServiceLoader.load(PortProvider.class).forEach(providers::add);
    providers.sort(Comparator.comparingInt(PortProvider::priority).reversed());
    return providers;
  }

  /**
   * The port with this name; for {@code auto} the preferred port that works.
   *
   * @throws VerbsException EOPNOTSUPP with the reason, the existing ports and the artifact to add
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
    throw new VerbsException(
        Errno.EOPNOTSUPP, reasons.isEmpty() ? missing(transport) : reasons.toString());
  }

  private static String missing(String transport) {
    List<String> names = providers().stream().map(PortProvider::name).toList();
    String there =
        Wording.of("there is no transport '%s'; on the class path: %s", transport, names);
    if (OWN.contains(transport)) {
      return there + "; add the artifact org.roce4j:roce4j-port-" + transport;
    }
    return names.isEmpty()
        ? there
            + "; add the artifact org.roce4j:roce4j-port-linux, or org.roce4j:roce4j-port-netty for"
            + " systems other than Linux"
        : there;
  }
}
