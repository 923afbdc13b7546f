package org.roce4j.tools.doctor;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.verbs.VerbsException;

/** All checks, in the order of their output. */
public final class Doctor {
  private final List<MachineCheck> checks;

  /**
   * @param configuration reads the configuration
   * @param peer the host whose path is examined, or null
   */
  public Doctor(Supplier<Configuration> configuration, InetAddress peer) {
    int port = udpPort(configuration);
    checks =
        List.of(
            new JdkCheck(),
            new ProcessorCheck(Runtime.getRuntime().availableProcessors()),
            new ConfigurationCheck(configuration),
            new TransportCheck(),
            new UdpPortCheck(port),
            new SoftRoceCheck(),
            new EphemeralPortCheck(port),
            new PrivilegeCheck(port),
            new BufferCheck(),
            new DropCheck(port),
            new MtuCheck(),
            new Ipv6Check(),
            new LoopbackCheck(),
            new NatCheck(peer));
  }

  private static int udpPort(Supplier<Configuration> configuration) {
    DeviceOptions usual = DeviceOptions.of("any");
    try {
      return configuration.get().applyTo(usual).udpPort();
    } catch (VerbsException e) {
      return usual.udpPort(); // Its own check reports it.
    }
  }

  /** The findings of all checks. */
  public List<Finding> examine(SystemView system) {
    return checks.stream().flatMap(check -> check.examine(system).stream()).toList();
  }
}
