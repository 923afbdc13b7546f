package org.roce4j.backend;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;

/**
 * A device of the device list, such as soft-RoCE through libibverbs, in real time. Both ends are
 * contexts of the same device, which talks to itself.
 */
public final class HardwareBackend implements Backend {
  /** What soft-RoCE gives as its vendor. */
  private static final int SOFT_ROCE_VENDOR = 0xffffff;

  private static final int PORT = 1;
  private static final long PATIENCE_NS = 3_000_000_000L;

  private final RdmaDevice device;
  private final int gidIndex;
  private final Gid address;
  private final List<Deviation> deviations;
  private final String description;

  /**
   * The device of that name in the device list.
   *
   * @throws org.roce4j.verbs.VerbsException ENODEV if there is no such device; and as the
   *     constructor
   */
  public static HardwareBackend of(String name, int gidIndex) {
    return new HardwareBackend(Verbs.device(name), gidIndex);
  }

  /**
   * Opens the device once, to ask what it is.
   *
   * @param gidIndex of the address at which it reaches itself
   * @throws org.roce4j.verbs.VerbsException if it cannot be opened, or ENODATA if there is no such
   *     address
   */
  public HardwareBackend(RdmaDevice device, int gidIndex) {
    this.device = device;
    this.gidIndex = gidIndex;
    try (Context context = device.open()) {
      DeviceAttr attr = context.queryDevice();
      address = context.queryGidEx(PORT, gidIndex).gid();
      String provider = device.provider().name();
      // The emulator gives the same vendor.
      boolean softRoce = attr.vendorId() == SOFT_ROCE_VENDOR && provider.equals("hardware");
      deviations = softRoce ? SoftRoceDeviations.rows() : List.of();
      description =
          "%s of backend %s, %s"
              .formatted(
                  device.name(),
                  provider,
                  softRoce
                      ? SoftRoceDeviations.NAME + " of Linux " + System.getProperty("os.version")
                      : "vendor 0x%06x, part %d, firmware %s"
                          .formatted(attr.vendorId(), attr.vendorPartId(), attr.firmwareVersion()));
    }
  }

  @Override
  public String name() {
    return "hardware";
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.noneOf(Capability.class);
  }

  /** Those of soft-RoCE are known; what an adapter does otherwise is to be found out. */
  @Override
  public List<Deviation> deviations() {
    return deviations;
  }

  @Override
  public Link open() {
    return new DeviceLink(device.open(), device.open(), address, gidIndex);
  }

  @Override
  public void close() {}

  private record DeviceLink(Context near, Context far, Gid address, int gidIndex)
      implements RealTimeLink {
    @Override
    public Gid nearAddress() {
      return address;
    }

    @Override
    public Gid farAddress() {
      return address;
    }

    @Override
    public long patienceNs() {
      return PATIENCE_NS;
    }

    @Override
    public void port(boolean up) {
      throw new IllegalStateException(Capability.PORT_CONTROL.absence());
    }

    @Override
    public void close() {
      near.close();
      far.close();
    }
  }
}
