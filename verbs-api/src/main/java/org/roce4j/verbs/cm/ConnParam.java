package org.roce4j.verbs.cm;

import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.text.Wording;

/**
 * {@code struct rdma_conn_param}: the offer of an end that connects or accepts. In an event it is
 * the peer's offer seen from this side: the peer's initiator depth is this side's responder
 * resources. Fluent; not thread-safe.
 */
public final class ConnParam {
  /** As many responder resources as the device has ({@code RDMA_MAX_RESP_RES}). */
  public static final int MAX_RESP_RES = 0xFF;

  /** The device's maximum initiator depth ({@code RDMA_MAX_INIT_DEPTH}). */
  public static final int MAX_INIT_DEPTH = 0xFF;

  private byte[] privateData = {};
  private int responderResources = MAX_RESP_RES;
  private int initiatorDepth = MAX_INIT_DEPTH;
  private boolean flowControl;
  private int retryCount = 7;
  private int rnrRetryCount = 7;
  private boolean srq;
  private int qpNum;

  /** A copy of the offer. */
  public ConnParam copy() {
    return new ConnParam()
        .privateData(privateData)
        .responderResources(responderResources)
        .initiatorDepth(initiatorDepth)
        .flowControl(flowControl)
        .retryCount(retryCount)
        .rnrRetryCount(rnrRetryCount)
        .srq(srq)
        .qpNum(qpNum);
  }

  /**
   * Bytes for the peer's program: at most 56 to connect and 196 to accept (UDP: 180 and 136). The
   * bytes of an event are padded with zeros to full size.
   */
  public ConnParam privateData(byte[] value) {
    privateData = RequiredArgument.check(value, "privateData").clone();
    return this;
  }

  /** Bytes for the peer's program, or from it; a copy. */
  public byte[] privateData() {
    return privateData.clone();
  }

  /** READs and atomics of the peer that this side accepts at a time, 0..255. */
  public ConnParam responderResources(int value) {
    responderResources = value;
    return this;
  }

  /**
   * READs and atomics of the peer that this side accepts at a time; {@link #MAX_RESP_RES} unless
   * set.
   */
  public int responderResources() {
    return responderResources;
  }

  /** READs and atomics that this side has outstanding at a time, 0..255. */
  public ConnParam initiatorDepth(int value) {
    initiatorDepth = value;
    return this;
  }

  /**
   * READs and atomics that this side has outstanding at a time; {@link #MAX_INIT_DEPTH} unless set.
   */
  public int initiatorDepth() {
    return initiatorDepth;
  }

  /** Whether the hardware flow-controls receives end to end. */
  public ConnParam flowControl(boolean value) {
    flowControl = value;
    return this;
  }

  /** Whether the hardware flow-controls receives end to end. */
  public boolean flowControl() {
    return flowControl;
  }

  /** Transport retries, 0..7; ignored when accepting. */
  public ConnParam retryCount(int value) {
    retryCount = value;
    return this;
  }

  /** Transport retries, 0..7; 7 unless set. */
  public int retryCount() {
    return retryCount;
  }

  /** RNR retries that the peer shall make, 0..7; 7 means forever. */
  public ConnParam rnrRetryCount(int value) {
    rnrRetryCount = value;
    return this;
  }

  /** RNR retries, 0..7; 7, the default, means forever. */
  public int rnrRetryCount() {
    return rnrRetryCount;
  }

  /** Whether the queue pair has a shared receive queue; ignored when the id has a queue pair. */
  public ConnParam srq(boolean value) {
    srq = value;
    return this;
  }

  /** Whether the queue pair has a shared receive queue; in an event: the peer's. */
  public boolean srq() {
    return srq;
  }

  /** Number of the queue pair, 24 bits; ignored when the id has a queue pair. */
  public ConnParam qpNum(int value) {
    qpNum = value;
    return this;
  }

  /** Number of the queue pair; in an event: the peer's. */
  public int qpNum() {
    return qpNum;
  }

  @Override
  public String toString() {
    return Wording.of(
        "QP 0x%x%s, responder resources %d, initiator depth %d, retries %d, RNR retries %d%s,"
            + " private data %d B",
        qpNum,
        srq ? " with SRQ" : "",
        responderResources,
        initiatorDepth,
        retryCount,
        rnrRetryCount,
        flowControl ? ", flow control" : "",
        privateData.length);
  }
}
