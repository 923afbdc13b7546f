package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bits;
import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import org.roce4j.wire.GidAddress;

/**
 * A path as REQ and LAP carry it, seen by the sender of the message.
 *
 * @param localLid 0xFFFF on routable RoCE, like {@code remoteLid}
 * @param flowLabel 20 bits
 * @param rate code of the static rate; 0: that of the port
 * @param ackTimeout code of the local ACK timeout: 4.096 us * 2<sup>n</sup>
 */
public record CmPath(
    int localLid,
    int remoteLid,
    long localHigh,
    long localLow,
    long remoteHigh,
    long remoteLow,
    int flowLabel,
    int rate,
    int trafficClass,
    int hopLimit,
    int serviceLevel,
    boolean subnetLocal,
    int ackTimeout) {

  /** Where the primary path begins in a REQ. */
  public static final int REQ_PRIMARY_AT = 76;

  /** Where the alternate path begins in a REQ. */
  public static final int REQ_ALTERNATE_AT = 120;

  /** Where the sender's GID lies in a path. */
  public static final int LOCAL_GID = 4;

  /** Where the receiver's GID lies in a path. */
  public static final int REMOTE_GID = 20;

  /** No path: every field is 0. */
  public static final CmPath NONE = new CmPath(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0);

  /** Where the fields of a path lie. */
  private record Layout(
      BitField localLid,
      BitField remoteLid,
      BitField localHigh,
      BitField localLow,
      BitField remoteHigh,
      BitField remoteLow,
      BitField flowLabel,
      BitField rate,
      BitField trafficClass,
      BitField hopLimit,
      BitField serviceLevel,
      BitField subnetLocal,
      BitField ackTimeout) {

    /** In a LAP traffic class and hop limit precede the rate, in a REQ they follow it. */
    static Layout of(int at, int rateAt, int trafficClassAt) {
      return new Layout(
          bytes(at, 2),
          bytes(at + 2, 2),
          bytes(at + LOCAL_GID, 8),
          bytes(at + LOCAL_GID + 8, 8),
          bytes(at + REMOTE_GID, 8),
          bytes(at + REMOTE_GID + 8, 8),
          bits(at + 36, 0, 20),
          bits(rateAt, 2, 6),
          bytes(trafficClassAt, 1),
          bytes(trafficClassAt + 1, 1),
          bits(at + 42, 0, 4),
          bits(at + 42, 4, 1),
          bits(at + 43, 0, 5));
    }

    CmPath get(ByteBuffer mad) {
      return new CmPath(
          localLid.get(mad),
          remoteLid.get(mad),
          localHigh.get64(mad),
          localLow.get64(mad),
          remoteHigh.get64(mad),
          remoteLow.get64(mad),
          flowLabel.get(mad),
          rate.get(mad),
          trafficClass.get(mad),
          hopLimit.get(mad),
          serviceLevel.get(mad),
          subnetLocal.isSet(mad),
          ackTimeout.get(mad));
    }

    void put(ByteBuffer mad, CmPath path) {
      localLid.put(mad, path.localLid());
      remoteLid.put(mad, path.remoteLid());
      localHigh.put(mad, path.localHigh());
      localLow.put(mad, path.localLow());
      remoteHigh.put(mad, path.remoteHigh());
      remoteLow.put(mad, path.remoteLow());
      flowLabel.put(mad, path.flowLabel());
      rate.put(mad, path.rate());
      trafficClass.put(mad, path.trafficClass());
      hopLimit.put(mad, path.hopLimit());
      serviceLevel.put(mad, path.serviceLevel());
      subnetLocal.put(mad, path.subnetLocal());
      ackTimeout.put(mad, path.ackTimeout());
    }
  }

  private static final Layout REQ_PRIMARY = Layout.of(REQ_PRIMARY_AT, 115, 116);
  private static final Layout REQ_ALTERNATE = Layout.of(REQ_ALTERNATE_AT, 159, 160);
  private static final Layout LAP = Layout.of(44, 85, 83);

  static CmPath reqPrimary(ByteBuffer mad) {
    return REQ_PRIMARY.get(mad);
  }

  static CmPath reqAlternate(ByteBuffer mad) {
    return REQ_ALTERNATE.get(mad);
  }

  static CmPath lap(ByteBuffer mad) {
    return LAP.get(mad);
  }

  void putReqPrimary(ByteBuffer mad) {
    REQ_PRIMARY.put(mad, this);
  }

  void putReqAlternate(ByteBuffer mad) {
    REQ_ALTERNATE.put(mad, this);
  }

  void putLap(ByteBuffer mad) {
    LAP.put(mad, this);
  }

  /** {@code 10.1.2.3 > 10.1.2.4}. */
  @Override
  public String toString() {
    return GidAddress.addressText(localHigh, localLow)
        + " > "
        + GidAddress.addressText(remoteHigh, remoteLow);
  }
}
