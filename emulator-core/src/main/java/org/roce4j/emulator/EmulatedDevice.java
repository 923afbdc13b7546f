package org.roce4j.emulator;

import org.roce4j.verbs.RdmaDevice;

/** What only an emulated device can do: have its cable pulled. */
public interface EmulatedDevice extends RdmaDevice {
  /**
   * Takes the port down (PORT_ERR; nothing is sent, what arrives is lost) or brings it up again
   * (PORT_ACTIVE). Queue pairs keep their state and retry. Thread-safe; no effect before the device
   * is opened.
   */
  void port(boolean up);
}
