package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bits;
import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Request for communication: the active end asks the service for a connection.
 *
 * @param vendorId of the enhanced connection establishment; 0: not used
 * @param caGuid the sender's
 * @param qpn the sender's queue pair
 * @param responderResources READs and atomics that the sender accepts at a time
 * @param initiatorDepth READs and atomics that the sender will have outstanding
 * @param remoteResponseTimeout code of the time within which an answer is expected: 4.096 us *
 *     2<sup>n</sup>
 * @param serviceType 0 RC, 1 UC, 2 RD, 3 see {@code extendedType}
 * @param startingPsn the first PSN that the <em>receiver</em> of this message sends
 * @param localResponseTimeout code of the time within which the sender answers
 * @param pathMtu code
 * @param srq whether the sender's queue pair has a shared receive queue
 * @param extendedType 1 XRC
 * @param sapSupported whether the sender accepts a suggested alternate path
 */
public record Req(
    int localId,
    int vendorId,
    long serviceId,
    long caGuid,
    int qkey,
    int qpn,
    int responderResources,
    int localEecn,
    int initiatorDepth,
    int remoteEecn,
    int remoteResponseTimeout,
    int serviceType,
    boolean flowControl,
    int startingPsn,
    int localResponseTimeout,
    int retryCount,
    int pkey,
    int pathMtu,
    boolean rdcExists,
    int rnrRetryCount,
    int maxCmRetries,
    boolean srq,
    int extendedType,
    CmPath primary,
    CmPath alternate,
    boolean sapSupported,
    Bytes privateData)
    implements CmMessage {

  /** {@code serviceType} of RC. */
  public static final int SERVICE_RC = 0;

  /** {@code serviceType} of UC. */
  public static final int SERVICE_UC = 1;

  /** {@code serviceType} for the services that {@code extendedType} names. */
  public static final int SERVICE_EXTENDED = 3;

  /** {@code extendedType} of XRC. */
  public static final int EXTENDED_XRC = 1;

  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField VENDOR_ID = bytes(29, 3);
  private static final BitField SERVICE_ID = bytes(32, 8);
  private static final BitField CA_GUID = bytes(40, 8);
  private static final BitField Q_KEY = bytes(52, 4);
  private static final BitField LOCAL_QPN = bytes(56, 3);
  private static final BitField RESPONDER_RESOURCES = bytes(59, 1);
  private static final BitField LOCAL_EECN = bytes(60, 3);
  private static final BitField INITIATOR_DEPTH = bytes(63, 1);
  private static final BitField REMOTE_EECN = bytes(64, 3);
  private static final BitField REMOTE_RESPONSE_TIMEOUT = bits(67, 0, 5);
  private static final BitField SERVICE_TYPE = bits(67, 5, 2);
  private static final BitField FLOW_CONTROL = bits(67, 7, 1);
  private static final BitField STARTING_PSN = bytes(68, 3);
  private static final BitField LOCAL_RESPONSE_TIMEOUT = bits(71, 0, 5);
  private static final BitField RETRY_COUNT = bits(71, 5, 3);
  private static final BitField P_KEY = bytes(72, 2);
  private static final BitField PATH_MTU = bits(74, 0, 4);
  private static final BitField RDC_EXISTS = bits(74, 4, 1);
  private static final BitField RNR_RETRY_COUNT = bits(74, 5, 3);
  private static final BitField MAX_CM_RETRIES = bits(75, 0, 4);
  private static final BitField SRQ = bits(75, 4, 1);
  private static final BitField EXTENDED_TYPE = bits(75, 5, 3);
  private static final BitField SAP_SUPPORTED = bits(163, 5, 1);

  /**
   * {@code privateData} up to 92 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Req {
    privateData = CmAttribute.REQ.padded(privateData);
  }

  /** Whether it is for an extended connection (XRC), whose reply names its queue pair elsewhere. */
  public boolean isExtended() {
    return serviceType == SERVICE_EXTENDED && extendedType == EXTENDED_XRC;
  }

  static Req parse(ByteBuffer mad) {
    return new Req(
        LOCAL_ID.get(mad),
        VENDOR_ID.get(mad),
        SERVICE_ID.get64(mad),
        CA_GUID.get64(mad),
        Q_KEY.get(mad),
        LOCAL_QPN.get(mad),
        RESPONDER_RESOURCES.get(mad),
        LOCAL_EECN.get(mad),
        INITIATOR_DEPTH.get(mad),
        REMOTE_EECN.get(mad),
        REMOTE_RESPONSE_TIMEOUT.get(mad),
        SERVICE_TYPE.get(mad),
        FLOW_CONTROL.isSet(mad),
        STARTING_PSN.get(mad),
        LOCAL_RESPONSE_TIMEOUT.get(mad),
        RETRY_COUNT.get(mad),
        P_KEY.get(mad),
        PATH_MTU.get(mad),
        RDC_EXISTS.isSet(mad),
        RNR_RETRY_COUNT.get(mad),
        MAX_CM_RETRIES.get(mad),
        SRQ.isSet(mad),
        EXTENDED_TYPE.get(mad),
        CmPath.reqPrimary(mad),
        CmPath.reqAlternate(mad),
        SAP_SUPPORTED.isSet(mad),
        CmAttribute.REQ.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    VENDOR_ID.put(mad, vendorId);
    SERVICE_ID.put(mad, serviceId);
    CA_GUID.put(mad, caGuid);
    Q_KEY.put(mad, qkey);
    LOCAL_QPN.put(mad, qpn);
    RESPONDER_RESOURCES.put(mad, responderResources);
    LOCAL_EECN.put(mad, localEecn);
    INITIATOR_DEPTH.put(mad, initiatorDepth);
    REMOTE_EECN.put(mad, remoteEecn);
    REMOTE_RESPONSE_TIMEOUT.put(mad, remoteResponseTimeout);
    SERVICE_TYPE.put(mad, serviceType);
    FLOW_CONTROL.put(mad, flowControl);
    STARTING_PSN.put(mad, startingPsn);
    LOCAL_RESPONSE_TIMEOUT.put(mad, localResponseTimeout);
    RETRY_COUNT.put(mad, retryCount);
    P_KEY.put(mad, pkey);
    PATH_MTU.put(mad, pathMtu);
    RDC_EXISTS.put(mad, rdcExists);
    RNR_RETRY_COUNT.put(mad, rnrRetryCount);
    MAX_CM_RETRIES.put(mad, maxCmRetries);
    SRQ.put(mad, srq);
    EXTENDED_TYPE.put(mad, extendedType);
    primary.putReqPrimary(mad);
    alternate.putReqAlternate(mad);
    SAP_SUPPORTED.put(mad, sapSupported);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "REQ id 0x%08x service %s QP 0x%06x PSN %d resources %d depth %d path %s",
        localId,
        ServiceId.text(serviceId),
        qpn,
        startingPsn,
        responderResources,
        initiatorDepth,
        primary);
  }
}
