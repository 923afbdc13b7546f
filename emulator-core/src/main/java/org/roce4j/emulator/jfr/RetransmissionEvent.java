package org.roce4j.emulator.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A requester went back and will send packets again. */
@Name("org.roce4j.Retransmission")
@Label("Retransmission")
@Description("A requester went back and sends again")
@Category("RDMA")
@StackTrace(false)
final class RetransmissionEvent extends Event {
  @Label("Device")
  String device;

  @Label("Queue Pair Number")
  int qpNum;

  @Label("From PSN")
  int psn;

  @Label("Reason")
  @Description("The counter that counts it")
  String reason;
}
