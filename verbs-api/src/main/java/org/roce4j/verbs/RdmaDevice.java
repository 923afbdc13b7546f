package org.roce4j.verbs;

/** An RDMA device that can be opened ({@code struct ibv_device}). Immutable. */
public interface RdmaDevice {
  /** The device's name ({@code ibv_get_device_name}). */
  String name();

  /** The node GUID in host order ({@code ibv_get_device_guid} gives network order); 0: unknown. */
  long guid();

  /** What it is in a fabric; a channel adapter, of RoCE too. */
  NodeType nodeType();

  /** The family of protocols that it speaks; of RoCE that of InfiniBand. */
  TransportType transportType();

  /** The backend this device belongs to. */
  VerbsProvider provider();

  /**
   * Opens the device ({@code ibv_open_device}). Every call gives a context of its own.
   *
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, EACCES ... when the device cannot be had,
   *     with the remedy
   */
  Context open();
}
