package org.roce4j.conformance.backend;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;

/**
 * A device of the device list, such as soft-RoCE through libibverbs, in real time. Both ends are
 * contexts of the same device, which talks to itself.
 */
public final class HardwareBackend implements Backend {
  private final DeviceEnd end;

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
   * Opens the device once, to read its description.
   *
   * @param gidIndex GID index of the address at which it reaches itself
   * @throws org.roce4j.verbs.VerbsException if it cannot be opened, or ENODATA if there is no such
   *     address
   */
  public HardwareBackend(RdmaDevice device, int gidIndex) {
    end = DeviceEnd.of(device, gidIndex);
  }

  @Override
  public String name() {
    return "hardware";
  }

  @Override
  public String description() {
    return end.description();
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> capabilities = EnumSet.of(Capability.KERNEL_DEVICE);
    if (end.connectionManager()) {
      capabilities.add(Capability.CONNECTION_MANAGER);
    }
    return capabilities;
  }

  /** The deviations of soft-RoCE are known; those of an adapter are to be found out. */
  @Override
  public List<Deviation> deviations() {
    return end.softRoce() ? SoftRoceDeviations.rows() : List.of();
  }

  @Override
  public Link open() {
    return DeviceLink.between(end, end);
  }

  @Override
  public void close() {}
}
