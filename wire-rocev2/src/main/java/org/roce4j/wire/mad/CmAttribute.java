package org.roce4j.wire.mad;

import java.nio.ByteBuffer;
import java.util.function.Function;
import org.roce4j.wire.Bytes;

/** The messages of the connection manager: attribute, and where their private data lies. */
public enum CmAttribute {
  /** {@link Req}: the active end asks for a connection. */
  REQ(0x0010, 164, Req::parse),
  /** {@link Mra}: the answer takes longer. */
  MRA(0x0011, 34, Mra::parse),
  /** {@link Rej}: a rejection with its reason. */
  REJ(0x0012, 108, Rej::parse),
  /** {@link Rep}: the passive end accepts. */
  REP(0x0013, 60, Rep::parse),
  /** {@link Rtu}: the active end has the reply; the handshake is complete. */
  RTU(0x0014, 32, Rtu::parse),
  /** {@link Dreq}: an end takes the connection down. */
  DREQ(0x0015, 36, Dreq::parse),
  /** {@link Drep}: the other end has taken it down. */
  DREP(0x0016, 32, Drep::parse),
  /** {@link SidrReq}: asks which datagram queue pair serves a service. */
  SIDR_REQ(0x0017, 40, SidrReq::parse),
  /** {@link SidrRep}: names the queue pair and its Q_Key. */
  SIDR_REP(0x0018, 120, SidrRep::parse),
  /** {@link Lap}: an alternate path; InfiniBand only. */
  LAP(0x0019, 88, Lap::parse),
  /** {@link Apr}: the answer to an alternate path. */
  APR(0x001A, 108, Apr::parse);

  private static final CmAttribute[] ALL = values();

  private final int id;
  private final int privateDataAt;
  private final Function<ByteBuffer, CmMessage> parser;

  CmAttribute(int id, int privateDataAt, Function<ByteBuffer, CmMessage> parser) {
    this.id = id;
    this.privateDataAt = privateDataAt;
    this.parser = parser;
  }

  /** The attribute id of the MAD header. */
  public int id() {
    return id;
  }

  /** Where the private data lies in the MAD. */
  public int privateDataAt() {
    return privateDataAt;
  }

  /** Size of the private data, which is fixed: a message does not say how many bytes are used. */
  public int privateDataLength() {
    return Mad.SIZE - privateDataAt;
  }

  /** The attribute with this id, or null. */
  public static CmAttribute ofId(int id) {
    int index = id - REQ.id;
    return index >= 0 && index < ALL.length ? ALL[index] : null;
  }

  CmMessage parse(ByteBuffer mad) {
    return parser.apply(mad);
  }

  Bytes privateData(ByteBuffer mad) {
    return Bytes.copy(mad, privateDataAt, privateDataLength());
  }

  void putPrivateData(ByteBuffer mad, Bytes data) {
    data.copyTo(mad, privateDataAt);
  }

  /**
   * Private data as the message carries it: padded with zeros.
   *
   * @throws IllegalArgumentException if it does not fit the message
   */
  Bytes padded(Bytes data) {
    return padded(data, privateDataLength(), "private data");
  }

  Bytes padded(Bytes data, int length, String what) {
    if (data.length() > length) {
      throw new IllegalArgumentException(
          this + " has room for " + length + " bytes of " + what + ", not " + data.length());
    }
    if (data.length() == length) {
      return data;
    }
    ByteBuffer whole = ByteBuffer.allocate(length);
    data.copyTo(whole, 0);
    return Bytes.of(whole.array());
  }
}
