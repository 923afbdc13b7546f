package org.roce4j.emulator;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.roce4j.emulator.cm.EmulatedCmChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmProvider;
import org.roce4j.verbs.cm.ProviderChannel;

/**
 * Lists the devices that the {@link Configuration} names. If it names none, lists two devices on
 * loopback addresses and one for each network interface that is up. Within a process equal options
 * give the same device. Thread-safe.
 */
public final class EmulatorProvider implements CmProvider {
  static final EmulatorProvider INSTANCE = new EmulatorProvider();

  /** The devices by their options, so that an open device can be listed and opened again. */
  private static final Map<DeviceOptions, RdmaDevice> LISTED = new ConcurrentHashMap<>();

  private final Supplier<Configuration> configuration;

  /** The devices that the configuration of this process names, read again for each list. */
  public EmulatorProvider() {
    this(Configuration::load);
  }

  /** The devices that this configuration names. */
  public EmulatorProvider(Configuration configuration) {
    this(() -> configuration);
  }

  private EmulatorProvider(Supplier<Configuration> configuration) {
    this.configuration = configuration;
  }

  @Override
  public String name() {
    return "emulator";
  }

  @Override
  public List<RdmaDevice> devices() {
    try {
      Configuration settings = configuration.get();
      List<DeviceOptions> wanted = settings.devices();
      if (wanted.isEmpty()) {
        wanted = usualDevices().stream().map(settings::applyTo).toList();
      }
      return wanted.stream().map(EmulatorProvider::device).toList();
    } catch (VerbsException e) {
      return List.of(); // unavailable() reports the mistake
    }
  }

  private static RdmaDevice device(DeviceOptions options) {
    return LISTED.computeIfAbsent(options, wanted -> new SocketDevice(INSTANCE, wanted));
  }

  private static List<DeviceOptions> usualDevices() {
    List<DeviceOptions> devices = new ArrayList<>();
    devices.add(DeviceOptions.of("roce0", Gid.parse("127.0.0.1")));
    if (!System.getProperty("os.name", "").startsWith("Mac")) {
      devices.add(DeviceOptions.of("roce1", Gid.parse("127.0.0.2")));
    }
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        addInterface(devices, network);
      }
    } catch (SocketException e) {
      // Without a list of the interfaces, only the loopback devices are listed.
    }
    return devices;
  }

  private static void addInterface(List<DeviceOptions> devices, NetworkInterface network)
      throws SocketException {
    if (!network.isUp() || network.isLoopback()) {
      return;
    }
    List<Gid> gids = new ArrayList<>();
    for (InetAddress address : Collections.list(network.getInetAddresses())) {
      if (isForDevices(address)) {
        gids.add(Gid.of(address));
      }
    }
    if (!gids.isEmpty()) {
      devices.add(DeviceOptions.of("roce_" + network.getName(), gids.toArray(Gid[]::new)));
    }
  }

  /** A link-local IPv6 address names an end only together with an interface. */
  static boolean isForDevices(InetAddress address) {
    return !(address instanceof Inet6Address && address.isLinkLocalAddress());
  }

  @Override
  public ProviderChannel openCmChannel(List<Context> contexts) {
    return EmulatedCmChannel.open(contexts);
  }

  @Override
  public Optional<String> unavailable() {
    try {
      Configuration ignored = configuration.get(); // reading it checks it
      return Optional.empty();
    } catch (VerbsException e) {
      return Optional.of(e.remedy());
    }
  }
}
