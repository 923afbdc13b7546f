package org.roce4j.verbs;

/** An RDMA device that can be opened ({@code struct ibv_device}). Immutable. */
public interface RdmaDevice {
  /** The device's name ({@code ibv_get_device_name}). */
  String name();

  /** The node GUID in host order ({@code ibv_get_device_guid} gives network order); 0: unknown. */
  long guid();

  /**
   * The kernel's index of the device ({@code ibv_get_device_index}): no other device of this
   * machine has it, and it stays when the device is renamed. -1: unknown, as of a device that is
   * not the kernel's.
   */
  default int index() {
    return -1;
  }

  /** The name of the device's uverbs file, such as {@code uverbs0}; empty: it has none. */
  default String devName() {
    return "";
  }

  /** The directory of that file in sysfs; empty: it has none. */
  default String devPath() {
    return "";
  }

  /** The directory of the device in sysfs; empty: it has none. */
  default String ibdevPath() {
    return "";
  }

  /** What it is in a fabric; RoCE devices are channel adapters. */
  default NodeType nodeType() {
    return NodeType.CA;
  }

  /** The transport protocol; RoCE devices speak InfiniBand's. */
  default TransportType transportType() {
    return TransportType.IB;
  }

  /** The backend this device belongs to. */
  VerbsProvider provider();

  /**
   * Opens the device ({@code ibv_open_device}). Every call returns a new context.
   *
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, EACCES ... if the device cannot be opened,
   *     with the remedy
   */
  Context open();
}
