package org.roce4j.hardware;

import org.roce4j.verbs.Context;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.TransportType;

/** A device of the kernel, by its name. */
record HardwareDevice(
    HardwareProvider provider,
    String name,
    long guid,
    int index,
    NodeType nodeType,
    TransportType transportType,
    String devName,
    String devPath,
    String ibdevPath)
    implements RdmaDevice {
  /** One without files. */
  HardwareDevice(
      HardwareProvider provider,
      String name,
      long guid,
      int index,
      NodeType nodeType,
      TransportType transportType) {
    this(provider, name, guid, index, nodeType, transportType, "", "", "");
  }

  @Override
  public Context open() {
    return provider.open(this);
  }

  @Override
  public String toString() {
    return name;
  }
}
