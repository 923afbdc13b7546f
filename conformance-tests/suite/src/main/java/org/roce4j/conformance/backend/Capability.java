package org.roce4j.conformance.backend;

/** Capabilities that a row may need of a backend beyond the verbs. */
public enum Capability {
  /** Packets are made and read by this process: codecs and tables can be asked directly. */
  OWN_WIRE_CODE("the device's own wire code is not in this process"),

  /** Ports can be taken down and up. */
  PORT_CONTROL("ports cannot be taken down here"),

  /** A device can be given another address, and lose it. */
  ADDRESS_CONTROL("addresses cannot be added here"),

  /** A device with two ports can be made. */
  SEVERAL_PORTS("no device with two ports can be made here"),

  /** A device can be made of whose objects there are only a few. */
  SMALL_DEVICE("no device with small limits can be made here"),

  /** The device knows when the arena of registered memory is closed. */
  KNOWS_ARENAS("the device writes to memory that was freed, whatever lies there then"),

  /** Each device has its own counters, which show the cause of every error. */
  COUNTS_CAUSES("the device does not count errors by their causes"),

  /** Ids of a connection manager can be bound to both ends. */
  CONNECTION_MANAGER("no connection manager of this process reaches both ends"),

  /** The device is the kernel's: processes share it, and it may have a vendor's driver. */
  KERNEL_DEVICE("the device lives in this process, and has no vendor"),

  /** Waiting costs nothing, however long. */
  VIRTUAL_TIME("this would take too long in real time");

  private final String absence;

  Capability(String absence) {
    this.absence = absence;
  }

  /** Why a row that needs it is skipped where it is missing. */
  public String absence() {
    return absence;
  }
}
