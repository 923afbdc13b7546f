package org.roce4j.verbs.cm;

import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.text.Wording;

/**
 * {@code struct rdma_ud_param}: the address of a datagram service or multicast group, and the bytes
 * of its program. Immutable.
 */
public final class UdParam {
  /** The Q_Key of datagram queue pairs of this interface ({@code RDMA_UDP_QKEY}). */
  public static final int QKEY = 0x0123_4567;

  private final byte[] privateData;
  private final AhAttr ahAttr;
  private final int qpNum;
  private final int qkey;

  /**
   * @param privateData 180 bytes for a request, 136 for a reply, none for a group
   * @param ahAttr address vector of the peer or group; null in a request
   * @param qpNum number of the peer's queue pair, 0xFFFFFF for a group, 0 in a request
   * @param qkey Q_Key to send with
   */
  public UdParam(byte[] privateData, AhAttr ahAttr, int qpNum, int qkey) {
    this.privateData = RequiredArgument.check(privateData, "privateData").clone();
    this.ahAttr = ahAttr;
    this.qpNum = qpNum;
    this.qkey = qkey;
  }

  /** The private data of the service or its client; a copy, of full size. */
  public byte[] privateData() {
    return privateData.clone();
  }

  /** For {@link org.roce4j.verbs.ProtectionDomain#createAh}; null in a request. */
  public AhAttr ahAttr() {
    return ahAttr;
  }

  /** Number of the queue pair to send to, 24 bits; 0xFFFFFF for a group. */
  public int qpNum() {
    return qpNum;
  }

  /** Q_Key to send with. */
  public int qkey() {
    return qkey;
  }

  @Override
  public String toString() {
    return Wording.of(
        "QP 0x%x, Q_Key 0x%x, %s, private data %d B", qpNum, qkey, ahAttr, privateData.length);
  }
}
