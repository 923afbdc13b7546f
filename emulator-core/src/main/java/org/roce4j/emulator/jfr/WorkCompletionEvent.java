package org.roce4j.emulator.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A program polled a completion. */
@Name("org.roce4j.WorkCompletion")
@Label("Work Completion")
@Description("A program polled a completion")
@Category("RDMA")
@Enabled(false)
@StackTrace(false)
final class WorkCompletionEvent extends Event {
  @Label("Device")
  String device;

  @Label("Queue Pair Number")
  int qpNum;

  @Label("Identifier")
  long wrId;

  @Label("Operation")
  @Description("Empty unless it succeeded")
  String operation;

  @Label("Status")
  String status;

  @Label("Bytes")
  long bytes;

  @Label("Time")
  @Description("Nanoseconds since 1970 by the clock of the device, which is virtual on a fabric")
  long time;
}
