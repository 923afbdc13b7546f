package org.roce4j.emulator.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A program posted a request. */
@Name("org.roce4j.WorkRequest")
@Label("Work Request")
@Description("A program posted a request")
@Category("RDMA")
@Enabled(false)
@StackTrace(false)
final class WorkRequestEvent extends Event {
  @Label("Device")
  String device;

  @Label("Queue Pair Number")
  int qpNum;

  @Label("Identifier")
  long wrId;

  @Label("Operation")
  String operation;

  @Label("Bytes")
  long bytes;

  @Label("Time")
  @Description("Nanoseconds since 1970 by the clock of the device, which is virtual on a fabric")
  long time;
}
