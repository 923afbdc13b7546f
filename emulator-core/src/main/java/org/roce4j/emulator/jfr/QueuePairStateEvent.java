package org.roce4j.emulator.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A queue pair changed its state. */
@Name("org.roce4j.QueuePairState")
@Label("Queue Pair State")
@Description("A queue pair changed its state")
@Category("RDMA")
@StackTrace(false)
final class QueuePairStateEvent extends Event {
  @Label("Device")
  String device;

  @Label("Queue Pair Number")
  int qpNum;

  @Label("From")
  String from;

  @Label("To")
  String to;

  @Label("Time")
  @Description("Nanoseconds since 1970 by the clock of the device, which is virtual on a fabric")
  long time;
}
