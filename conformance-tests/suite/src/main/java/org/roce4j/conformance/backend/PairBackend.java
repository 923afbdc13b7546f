package org.roce4j.conformance.backend;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.roce4j.verbs.RdmaDevice;

/**
 * Two devices of the device list that reach each other, such as an emulated one and soft-RoCE: each
 * row's near end is the first, its far end the second. In real time.
 */
public final class PairBackend implements Backend {
  private final DeviceEnd near;
  private final DeviceEnd far;

  /**
   * Opens both devices once, to read their descriptions.
   *
   * @param nearGidIndex GID index of the address at which the second reaches the first
   * @param farGidIndex GID index of the address at which the first reaches the second
   * @throws org.roce4j.verbs.VerbsException if one cannot be opened, or ENODATA if it has no such
   *     address
   */
  public PairBackend(RdmaDevice near, int nearGidIndex, RdmaDevice far, int farGidIndex) {
    this.near = DeviceEnd.of(near, nearGidIndex);
    this.far = DeviceEnd.of(far, farGidIndex);
  }

  @Override
  public String name() {
    return "pair";
  }

  @Override
  public String description() {
    return near.description() + ", with " + far.description();
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.noneOf(Capability.class);
  }

  /** The deviations of soft-RoCE depend on the end at which it is. */
  @Override
  public List<Deviation> deviations() {
    if (near.softRoce() && far.softRoce()) {
      return SoftRoceDeviations.rows();
    }
    if (near.softRoce()) {
      return SoftRoceDeviations.rowsOfTheNearEnd();
    }
    return far.softRoce() ? SoftRoceDeviations.rowsOfTheFarEnd() : List.of();
  }

  @Override
  public Link open() {
    return DeviceLink.between(near, far);
  }

  @Override
  public void close() {}
}
