package org.roce4j.device;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.roce4j.verbs.Gid;

/**
 * The devices of this process on one network, by address: on a virtual network, or on sockets of
 * one UDP port. Used only for messages about a peer; packets do not use it. Thread-safe.
 */
public final class Neighbours {
  private final Map<Gid, Device> byAddress = new ConcurrentHashMap<>();

  /** Adds a device under its addresses; the device then finds the others. */
  public void enter(Device device) {
    device.gidTable().addresses().forEach(address -> byAddress.put(address, device));
    device.neighbours(byAddress::get);
  }

  /** The addresses of a device have changed. */
  public void renew(Device device) {
    leave(device);
    enter(device);
  }

  /** Whether a device has this address. */
  public boolean knows(Gid address) {
    return byAddress.containsKey(address);
  }

  /** Removes a device. */
  public void leave(Device device) {
    byAddress.values().removeIf(each -> each == device);
  }
}
