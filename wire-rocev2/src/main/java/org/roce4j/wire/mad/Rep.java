package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bits;
import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Reply to a request for communication: the passive end accepts.
 *
 * @param qpn the sender's queue pair; for XRC it is in {@code eecn}
 * @param vendorId of the enhanced connection establishment; 0: not used
 * @param startingPsn the first PSN that the <em>receiver</em> of this message sends
 * @param responderResources READs and atomics that the sender accepts at a time
 * @param initiatorDepth READs and atomics that the sender will have outstanding
 * @param targetAckDelay code of the sender's longest acknowledgement delay
 * @param failover 0: the alternate path is accepted, or there is none
 */
public record Rep(
    int localId,
    int remoteId,
    int qkey,
    int qpn,
    int vendorId,
    int eecn,
    int startingPsn,
    int responderResources,
    int initiatorDepth,
    int targetAckDelay,
    int failover,
    boolean flowControl,
    int rnrRetryCount,
    boolean srq,
    long caGuid,
    Bytes privateData)
    implements CmMessage {

  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);
  private static final BitField Q_KEY = bytes(32, 4);
  private static final BitField LOCAL_QPN = bytes(36, 3);
  private static final BitField VENDOR_ID_HIGH = bytes(39, 1);
  private static final BitField EECN = bytes(40, 3);
  private static final BitField VENDOR_ID_MIDDLE = bytes(43, 1);
  private static final BitField STARTING_PSN = bytes(44, 3);
  private static final BitField VENDOR_ID_LOW = bytes(47, 1);
  private static final BitField RESPONDER_RESOURCES = bytes(48, 1);
  private static final BitField INITIATOR_DEPTH = bytes(49, 1);
  private static final BitField TARGET_ACK_DELAY = bits(50, 0, 5);
  private static final BitField FAILOVER = bits(50, 5, 2);
  private static final BitField FLOW_CONTROL = bits(50, 7, 1);
  private static final BitField RNR_RETRY_COUNT = bits(51, 0, 3);
  private static final BitField SRQ = bits(51, 3, 1);
  private static final BitField CA_GUID = bytes(52, 8);

  /**
   * {@code privateData} up to 196 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Rep {
    privateData = CmAttribute.REP.padded(privateData);
  }

  static Rep parse(ByteBuffer mad) {
    return new Rep(
        LOCAL_ID.get(mad),
        REMOTE_ID.get(mad),
        Q_KEY.get(mad),
        LOCAL_QPN.get(mad),
        VENDOR_ID_HIGH.get(mad) << 16 | VENDOR_ID_MIDDLE.get(mad) << 8 | VENDOR_ID_LOW.get(mad),
        EECN.get(mad),
        STARTING_PSN.get(mad),
        RESPONDER_RESOURCES.get(mad),
        INITIATOR_DEPTH.get(mad),
        TARGET_ACK_DELAY.get(mad),
        FAILOVER.get(mad),
        FLOW_CONTROL.isSet(mad),
        RNR_RETRY_COUNT.get(mad),
        SRQ.isSet(mad),
        CA_GUID.get64(mad),
        CmAttribute.REP.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
    Q_KEY.put(mad, qkey);
    LOCAL_QPN.put(mad, qpn);
    VENDOR_ID_HIGH.put(mad, vendorId >>> 16);
    EECN.put(mad, eecn);
    VENDOR_ID_MIDDLE.put(mad, vendorId >>> 8);
    STARTING_PSN.put(mad, startingPsn);
    VENDOR_ID_LOW.put(mad, vendorId);
    RESPONDER_RESOURCES.put(mad, responderResources);
    INITIATOR_DEPTH.put(mad, initiatorDepth);
    TARGET_ACK_DELAY.put(mad, targetAckDelay);
    FAILOVER.put(mad, failover);
    FLOW_CONTROL.put(mad, flowControl);
    RNR_RETRY_COUNT.put(mad, rnrRetryCount);
    SRQ.put(mad, srq);
    CA_GUID.put(mad, caGuid);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "REP id 0x%08x to 0x%08x QP 0x%06x PSN %d resources %d depth %d",
        localId,
        remoteId,
        qpn,
        startingPsn,
        responderResources,
        initiatorDepth);
  }
}
