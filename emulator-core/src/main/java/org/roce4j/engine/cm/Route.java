package org.roce4j.engine.cm;

import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.PKey;
import org.roce4j.wire.mad.CmPath;

/**
 * The route of a connection's packets.
 *
 * @param mtu code of the path MTU
 * @param ackTimeout code of the local ACK timeout
 * @param flowLabel 20 bits
 */
public record Route(Path path, int mtu, int ackTimeout, int flowLabel) {
  /** The value of LIDs on routable RoCE. */
  private static final int ROUTED_LID = 0xFFFF;

  static final int PKEY = PKey.DEFAULT;

  CmPath inRequest() {
    return new CmPath(
        ROUTED_LID,
        ROUTED_LID,
        path.localHigh(),
        path.localLow(),
        path.remoteHigh(),
        path.remoteLow(),
        flowLabel,
        0,
        path.trafficClass(),
        path.hopLimit(),
        path.trafficClass() >>> 5,
        false,
        ackTimeout);
  }
}
