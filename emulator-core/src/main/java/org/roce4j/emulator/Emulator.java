package org.roce4j.emulator;

import org.roce4j.verbs.VerbsException;

/** Creates emulated devices on UDP sockets. */
public final class Emulator {
  private Emulator() {}

  /**
   * A device with these options. No socket is bound before {@link EmulatedDevice#open}.
   *
   * @throws VerbsException EINVAL if the options name no address, or an address that cannot be
   *     local
   */
  public static EmulatedDevice device(DeviceOptions options) {
    DeviceAddresses.check(options);
    return new SocketDevice(EmulatorProvider.INSTANCE, options);
  }
}
