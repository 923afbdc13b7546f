package org.roce4j.emulator;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Makes emulated devices on UDP sockets. */
public final class Emulator {
  private Emulator() {}

  /**
   * A device with these options. Nothing is bound before {@link EmulatedDevice#open}.
   *
   * @throws VerbsException EINVAL if the options name no address, or one that cannot be local
   */
  public static EmulatedDevice device(DeviceOptions options) {
    if (options.addresses().isEmpty()) {
      throw new VerbsException(
          Errno.EINVAL, "a device needs at least one address, such as 127.0.0.1");
    }
    options.addresses().stream()
        .filter(gid -> gid.isMulticast() || gid.isZero())
        .findAny()
        .ifPresent(
            gid -> {
              throw new VerbsException(
                  Errno.EINVAL, gid + " cannot be the address of a device; name a local address");
            });
    return new SocketDevice(EmulatorProvider.INSTANCE, options);
  }
}
