package org.roce4j.wire.mad;

import java.nio.ByteBuffer;
import org.roce4j.wire.Bytes;

/**
 * A message from one connection manager to another. Communication ids are the 32-bit numbers by
 * which each end names a connection: {@code localId} is the sender's, {@code remoteId} the
 * receiver's.
 */
public sealed interface CmMessage
    permits Req, Mra, Rej, Rep, Rtu, Dreq, Drep, SidrReq, SidrRep, Lap, Apr {

  /** Bytes of additional information in a rejection. */
  int INFO_LENGTH = 72;

  /** Which message it is, and the attribute id of its header. */
  CmAttribute attribute();

  /** The private data, padded with zeros to the size of the message's field. */
  Bytes privateData();

  /** Writes all but the header to a MAD of zeros. */
  void emit(ByteBuffer mad);

  /** This message, with its header. */
  default Mad in(long transactionId) {
    return new Mad(MadHeader.of(attribute(), transactionId), this);
  }
}
