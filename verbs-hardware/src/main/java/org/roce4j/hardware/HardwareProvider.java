package org.roce4j.hardware;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.roce4j.hardware.bindings.DeviceStructures;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.LayoutCheck;
import org.roce4j.hardware.bindings.Libibverbs;
import org.roce4j.hardware.bindings.LibraryMissing;
import org.roce4j.hardware.bindings.Librdmacm;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.Structures.IbvDevice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ForkStatus;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmProvider;
import org.roce4j.verbs.cm.ProviderChannel;
import org.roce4j.verbs.text.Wording;

/**
 * The devices of the Linux kernel: adapters and soft-RoCE. Thread-safe. The library is loaded when
 * the kernel has a device, not before.
 */
public final class HardwareProvider implements CmProvider {
  /** Ids of librdmacm by address, of all channels: ids migrate. */
  private static final Map<Long, HardwareCmId> CM_IDS = new ConcurrentHashMap<>();

  private static final Path SYSFS = Path.of("/sys/class");

  private final Path sysfs;
  private final String libraryName;
  private final String cmLibraryName;
  private Libibverbs library;
  private Librdmacm connectionManager;

  /** The devices of this machine, through the library that the dynamic linker finds. */
  public HardwareProvider() {
    this(SYSFS, Libibverbs.NAME, Librdmacm.NAME);
  }

  /**
   * @param sysfs directory with {@code infiniband} and {@code infiniband_verbs}
   * @param libraryName name or path of libibverbs
   * @param cmLibraryName name or path of librdmacm
   */
  HardwareProvider(Path sysfs, String libraryName, String cmLibraryName) {
    this.sysfs = sysfs;
    this.libraryName = libraryName;
    this.cmLibraryName = cmLibraryName;
  }

  /** The devices of a library that is there already. */
  HardwareProvider(Path sysfs, Libibverbs library) {
    this(sysfs, Libibverbs.NAME, Librdmacm.NAME);
    this.library = library;
  }

  /** The result of the search: devices, or why there are none. */
  private record Found(List<RdmaDevice> devices, String why) {
    static Found none(String why) {
      return new Found(List.of(), why);
    }
  }

  @Override
  public String name() {
    return "hardware";
  }

  @Override
  public List<RdmaDevice> devices() {
    return look().devices();
  }

  @Override
  public Optional<String> unavailable() {
    return Optional.ofNullable(look().why());
  }

  /** Does nothing where there is no library, and so no device. */
  @Override
  public void forkInit() {
    if (unavailable().isEmpty()) {
      try (Frame frame = new Frame()) {
        libraryOrNone().later().forkInit(frame);
      }
    }
  }

  @Override
  public ForkStatus forkStatus() {
    if (unavailable().isPresent()) {
      return ForkStatus.UNNEEDED;
    }
    try (Frame frame = new Frame()) {
      return libraryOrNone().later().forkStatus(frame);
    }
  }

  @Override
  public Optional<Context> importDevice(int cmdFd) {
    if (unavailable().isPresent()) {
      return Optional.empty();
    }
    Libibverbs from = libraryOrNone();
    try (Frame frame = new Frame()) {
      long opened = from.later().importDevice(frame, cmdFd);
      long device = ObjectStructures.device(opened);
      HardwareDevice named = describe(from, frame, device);
      Path directory = sysfs.resolve("infiniband").resolve(named.name());
      return Optional.of(new HardwareContext(named, from, opened, device, directory));
    }
  }

  private Libibverbs libraryOrNone() {
    try {
      return library();
    } catch (LibraryMissing e) {
      throw new VerbsException(Errno.ENODEV, e.getMessage(), e);
    }
  }

  private Found look() {
    String system = System.getProperty("os.name");
    if (!"Linux".equals(system)) {
      return Found.none("libibverbs is Linux's, this is " + system);
    }
    if (ValueLayout.ADDRESS.byteSize() != 8) {
      return Found.none("needs a 64-bit machine");
    }
    List<String> names = entries("infiniband");
    if (names.isEmpty()) {
      return Found.none(
          "the kernel has no RDMA device; soft-RoCE makes one (as root): modprobe rdma_rxe && rdma"
              + " link add rxe0 type rxe netdev eth0");
    }
    if (entries("infiniband_verbs").stream().noneMatch(name -> name.startsWith("uverbs"))) {
      return Found.none(
          "the kernel has "
              + String.join(", ", names)
              + " but offers nothing to programs; as root: modprobe ib_uverbs");
    }
    try {
      List<RdmaDevice> devices = list(library());
      return devices.isEmpty()
          ? Found.none(
              "the kernel has "
                  + String.join(", ", names)
                  + " but libibverbs has no driver for it (Debian, Ubuntu: apt install"
                  + " ibverbs-providers)")
          : new Found(devices, null);
    } catch (LibraryMissing e) {
      return Found.none(e.getMessage());
    } catch (VerbsException e) {
      return Found.none(e.remedy());
    } catch (LinkageError | IllegalCallerException | UnsupportedOperationException e) {
      Module self = HardwareProvider.class.getModule();
      return Found.none(
          Wording.of(
              "native code cannot be called (allow it with --enable-native-access=%s): %s",
              self.isNamed() ? self.getName() : "ALL-UNNAMED", e.getMessage()));
    }
  }

  private List<String> entries(String directory) {
    try (Stream<Path> entries = Files.list(sysfs.resolve(directory))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  private synchronized Libibverbs library() throws LibraryMissing {
    if (library == null) {
      library = Libibverbs.load(libraryName);
    }
    return library;
  }

  private List<RdmaDevice> list(Libibverbs from) {
    List<RdmaDevice> devices = new ArrayList<>();
    try (DeviceList list = new DeviceList(from)) {
      for (long device : list.devices()) {
        LayoutCheck.device(from, list.frame, device);
        devices.add(describe(from, list.frame, device));
      }
    }
    return List.copyOf(devices);
  }

  private HardwareDevice describe(Libibverbs from, Frame frame, long device) {
    return new HardwareDevice(
        this,
        DeviceStructures.name(device),
        from.getDeviceGuid(frame, device),
        from.later().deviceIndex(frame, device),
        DeviceStructures.nodeType(device),
        DeviceStructures.transportType(device),
        DeviceStructures.text(device, IbvDevice.DEV_NAME),
        DeviceStructures.text(device, IbvDevice.DEV_PATH),
        DeviceStructures.text(device, IbvDevice.IBDEV_PATH));
  }

  @Override
  public ProviderChannel openCmChannel(List<Context> contexts) {
    try {
      return new HardwareCmChannel(connectionManager(), CM_IDS, List.copyOf(contexts));
    } catch (LibraryMissing e) {
      throw new VerbsException(Errno.ENODEV, e.getMessage(), e);
    }
  }

  private synchronized Librdmacm connectionManager() throws LibraryMissing {
    if (connectionManager == null) {
      connectionManager = Librdmacm.load(cmLibraryName);
    }
    return connectionManager;
  }

  /**
   * Opens the device with that name. It is searched again, because a device pointer is not kept.
   */
  HardwareContext open(HardwareDevice wanted) {
    Libibverbs from = libraryOrNone();
    try (DeviceList list = new DeviceList(from)) {
      for (long device : list.devices()) {
        if (DeviceStructures.name(device).equals(wanted.name())) {
          return new HardwareContext(
              wanted,
              from,
              from.openDevice(list.frame, device),
              device,
              sysfs.resolve("infiniband").resolve(wanted.name()));
        }
      }
    }
    throw new VerbsException(
        Errno.ENODEV, wanted.name() + " is gone: list the devices again and open one of them");
  }

  /** {@code ibv_get_device_list}, freed when closed. */
  private static final class DeviceList implements AutoCloseable {
    final Frame frame = new Frame();
    private final Libibverbs library;
    private final long list;
    private final int count;

    DeviceList(Libibverbs library) {
      this.library = library;
      MemorySegment place = frame.structure(Integer.BYTES);
      list = library.getDeviceList(frame, place);
      count = list == 0 ? 0 : DeviceStructures.count(place);
    }

    long[] devices() {
      long[] devices = new long[count];
      for (int i = 0; i < count; i++) {
        devices[i] = DeviceStructures.listed(list, i);
      }
      return devices;
    }

    @Override
    public void close() {
      if (list != 0) {
        library.freeDeviceList(frame, list);
      }
      frame.close();
    }
  }
}
