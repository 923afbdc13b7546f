package org.roce4j.emulator.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A received datagram was dropped. */
@Name("org.roce4j.Drop")
@Label("Dropped Datagram")
@Description("A received datagram was dropped")
@Category("RDMA")
@StackTrace(false)
final class DropEvent extends Event {
  @Label("Device")
  String device;

  @Label("Queue Pair Number")
  @Description("-1 when it could not be read")
  int qpNum;

  @Label("PSN")
  @Description("-1 when it could not be read")
  int psn;

  @Label("Reason")
  @Description("The counter that counts it")
  String reason;
}
