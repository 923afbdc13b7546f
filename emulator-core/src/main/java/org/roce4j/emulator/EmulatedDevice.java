package org.roce4j.emulator;

import java.util.List;
import java.util.Map;
import org.roce4j.verbs.RdmaDevice;

/** What only an emulated device can do: have its cable pulled. */
public interface EmulatedDevice extends RdmaDevice {
  /**
   * Takes the port down (PORT_ERR; nothing is sent, what arrives is lost) or brings it up again
   * (PORT_ACTIVE). Queue pairs keep their state and retry. Thread-safe; no effect before the device
   * is opened.
   */
  void port(boolean up);

  /**
   * Requests that have completed with success so far, sends and receives; 0 before it is opened.
   */
  long completed();

  /**
   * What its queue pairs and the threads in its verbs wait for, a clause each, such as {@code QP
   * 0x3f RC RTS on roce1 has no receive posted; 40,000 RNR NAKs went to QP 0x11 RC RTS on roce0}.
   * For people: it is read without stopping the device. Thread-safe.
   */
  List<String> waitsFor();

  /**
   * From now on it is remembered which line of the program makes an object, for {@link
   * #openObjects}. Each object costs a walk of the stack, a few microseconds: for tests.
   */
  void rememberOrigins();

  /**
   * The contexts, and the objects in them, that were made since {@link #rememberOrigins} and are
   * not closed, in the order in which they were made, and the lines of the program that made them.
   * Thread-safe.
   */
  Map<AutoCloseable, StackTraceElement> openObjects();
}
