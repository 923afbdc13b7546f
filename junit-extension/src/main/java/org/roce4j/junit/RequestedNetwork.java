package org.roce4j.junit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Faults;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * The network that a test asks for, checked.
 *
 * @param ports number of ports of each device
 * @param addresses one address for each port, first all of the first device; empty: to be chosen
 * @param directory directory for packets and counters
 * @param capture whether packets are recorded
 * @param virtualSeconds longest virtual time of the test on the fabric
 * @param datagrams largest number of datagrams of the test on the fabric
 * @param leaks treatment of objects that the test leaves open
 */
record RequestedNetwork(
    int devices,
    int ports,
    int engines,
    String transport,
    long seed,
    Faults faults,
    Mtu mtu,
    List<Gid> addresses,
    Path directory,
    boolean capture,
    long virtualSeconds,
    long datagrams,
    EmulatedRdma.Leaks leaks) {
  private static final int MOST_DEVICES = 64;

  /** Keeps the number of a port, over all devices, within one byte. */
  private static final int MOST_PORTS = 3;

  static RequestedNetwork of(EmulatedRdma wanted, long seed, Path directory) {
    checkNumbers(wanted);
    Mtu mtu = Mtu.ofBytes(wanted.mtu());
    if (mtu == null) {
      throw refuse(Wording.of("mtu = %d: give 256, 512, 1024, 2048 or 4096", wanted.mtu()));
    }
    List<Gid> addresses = new ArrayList<>();
    for (String address : wanted.addresses()) {
      addresses.add(Gid.parse(address));
    }
    if (!addresses.isEmpty() && addresses.size() != wanted.devices() * wanted.ports()) {
      throw refuse(
          Wording.of(
              "%d addresses for %d ports of %d devices: give each port one",
              addresses.size(), wanted.devices() * wanted.ports(), wanted.devices()));
    }
    return new RequestedNetwork(
        wanted.devices(),
        wanted.ports(),
        wanted.engines(),
        wanted.transport(),
        seed,
        Faults.ofWays(wanted.faults()).withSeed(seed),
        mtu,
        addresses,
        directory,
        wanted.packets() != EmulatedRdma.Keep.NEVER,
        wanted.virtualSeconds(),
        wanted.datagrams(),
        wanted.leaks());
  }

  private static void checkNumbers(EmulatedRdma wanted) {
    if (wanted.devices() < 1 || wanted.devices() > MOST_DEVICES) {
      throw refuse(Wording.of("devices = %d: give 1 to %d", wanted.devices(), MOST_DEVICES));
    }
    if (wanted.ports() < 1 || wanted.ports() > MOST_PORTS) {
      throw refuse(Wording.of("ports = %d: give 1 to %d", wanted.ports(), MOST_PORTS));
    }
    if (wanted.virtualSeconds() < 1) {
      throw refuse(Wording.of("virtualSeconds = %d: give 1 or more", wanted.virtualSeconds()));
    }
    if (wanted.datagrams() < 1) {
      throw refuse(Wording.of("datagrams = %d: give 1 or more", wanted.datagrams()));
    }
  }

  /** The seed of a device's keys and numbers; never 0, which would mean unpredictable ones. */
  long seedOf(int device) {
    long mixed = seed * 1000 + device + 1;
    return mixed == 0 ? 1 : mixed;
  }

  /**
   * The options of a device that do not depend on the transport.
   *
   * @param places addresses to choose from if the test names none: one for port 1 of each device,
   *     then one for port 2 of each, and so on
   */
  DeviceOptions options(int device, IntFunction<Gid> places) {
    DeviceOptions options =
        DeviceOptions.of(nameOf(device), addressOf(device, 0, places))
            .withEngines(engines)
            .withActiveMtu(mtu)
            .withSeed(seedOf(device));
    for (int port = 1; port < ports; port++) {
      options = options.withPort(addressOf(device, port, places));
    }
    return options;
  }

  private Gid addressOf(int device, int port, IntFunction<Gid> places) {
    return addresses.isEmpty()
        ? places.apply(port * devices + device)
        : addresses.get(device * ports + port);
  }

  String nameOf(int device) {
    return "roce" + device;
  }

  static VerbsException refuse(String remedy) {
    return new VerbsException(Errno.EINVAL, "@EmulatedRdma: " + remedy);
  }
}
