package org.roce4j.emulator.cm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.roce4j.device.CmDevice;

/** The action of an id when the context of its device closes. */
final class Farewells {
  private final Consumer<CmDevice> closes;
  private final Map<CmDevice, Runnable> promised = new ConcurrentHashMap<>();

  /**
   * @param closes action, called by the owner of all engines of the device
   */
  Farewells(Consumer<CmDevice> closes) {
    this.closes = closes;
  }

  void promise(CmDevice device) {
    promised.computeIfAbsent(
        device,
        _ -> {
          Runnable farewell = () -> closes.accept(device);
          device.beforeClose(farewell);
          return farewell;
        });
  }

  /** The id is closed. */
  void withdraw() {
    promised.forEach(CmDevice::beforeCloseNoMore);
  }
}
