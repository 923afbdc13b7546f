package org.roce4j.engine.cm;

import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.Apr;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Lap;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/**
 * The messages that a peer may send to an end of a connection.
 *
 * @param to the id of that end
 * @param toQpn its queue pair
 * @param asks whether it has sent REQ and awaits the answer
 * @param request the peer's own REQ
 */
public record PeerMessages(int to, int toQpn, boolean asks, Req request) {
  /** The peer's id. */
  public static final int ID = 0x1234_5678;

  /** The peer's queue pair. */
  public static final int QPN = 0x222;

  private static final int CA_GUID = 2;

  /** The peer's request. */
  public static Req request(long serviceId, CmPath primary, Bytes privateData) {
    return request(ID, serviceId, CA_GUID, QPN, primary, privateData);
  }

  /** Anybody's request. */
  public static Req request(
      int id, long serviceId, long caGuid, int qpn, CmPath primary, Bytes privateData) {
    return new Req(
        id,
        0,
        serviceId,
        caGuid,
        0,
        qpn,
        4,
        0,
        4,
        0,
        20,
        0,
        false,
        7,
        20,
        7,
        0xFFFF,
        3,
        false,
        7,
        15,
        false,
        0,
        primary,
        CmPath.NONE,
        false,
        privateData);
  }

  /**
   * The message of this name: that of its attribute, or of one with a peculiarity. DREQ_OTHER_QPN
   * names another queue pair, REJ_TIMEOUT its sender by GUID, MRA_OTHER and MRA_LAP are of another
   * message than the outstanding one.
   */
  public CmMessage named(String name) {
    int rejected = asks ? Rej.REQ : Rej.OTHER;
    int mra = asks ? Mra.REQ : Mra.REP;
    return switch (name) {
      case "REQ" -> request;
      case "REP" ->
          new Rep(ID, to, 0, QPN, 0, 0, 7, 4, 4, 15, 0, false, 7, false, CA_GUID, Bytes.NONE);
      case "RTU" -> new Rtu(ID, to, Bytes.NONE);
      case "REJ" -> Rej.of(ID, to, rejected, RejCode.CONSUMER_DEFINED, Bytes.NONE);
      case "REJ_STALE" -> Rej.of(ID, to, rejected, RejCode.STALE_CONNECTION, Bytes.NONE);
      case "REJ_TIMEOUT" -> Rej.timedOut(ID, 0, CA_GUID);
      case "MRA" -> new Mra(ID, to, mra, 20, Bytes.NONE);
      case "MRA_OTHER" -> // with the id by which it is looked up
          new Mra(asks ? 0 : ID, to, Mra.REQ + Mra.REP - mra, 20, Bytes.NONE);
      case "MRA_LAP" -> new Mra(asks ? 0 : ID, to, Mra.LAP, 20, Bytes.NONE);
      case "DREQ" -> new Dreq(ID, to, toQpn, Bytes.NONE);
      case "DREQ_OTHER_QPN" -> new Dreq(ID, to, toQpn + 1, Bytes.NONE);
      case "DREP" -> new Drep(ID, to, Bytes.NONE);
      case "LAP" -> new Lap(ID, to, toQpn, 20, CmPath.NONE, Bytes.NONE);
      case "APR" -> new Apr(ID, to, 0, 0, Bytes.NONE, Bytes.NONE);
      default -> throw new IllegalArgumentException(name);
    };
  }
}
