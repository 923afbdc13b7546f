package org.roce4j.device;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.roce4j.verbs.Gid;

/**
 * The devices of this process that one network connects, by address: a virtual network, or what is
 * reached through sockets at one UDP port. For words about a peer alone: no packet takes this way.
 * Thread-safe.
 */
public final class Neighbours {
  private final Map<Gid, Device> byAddress = new ConcurrentHashMap<>();

  /** A device is reached under its addresses from now on, and knows the others. */
  public void enter(Device device) {
    device.gidTable().addresses().forEach(address -> byAddress.put(address, device));
    device.neighbours(byAddress::get);
  }

  /** A device has other addresses now. */
  public void renew(Device device) {
    leave(device);
    enter(device);
  }

  /** Whether a device has this address. */
  public boolean knows(Gid address) {
    return byAddress.containsKey(address);
  }

  /** A device is gone. */
  public void leave(Device device) {
    byAddress.values().removeIf(each -> each == device);
  }
}
