package org.roce4j.tools.proxy;

import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.port.Port;
import org.roce4j.port.TappedPort;

/** Counts damaged arrivals below the plan of faults, so that damage by the plan is not counted. */
final class DamageCount extends TappedPort {
  private long damaged;

  DamageCount(Port port) {
    super(port);
  }

  long damaged() {
    return damaged;
  }

  @Override
  protected void received(Inbound in) {
    if (in.icrc() == IcrcVerdict.WRONG) {
      damaged++;
    }
    handOver(in);
  }
}
