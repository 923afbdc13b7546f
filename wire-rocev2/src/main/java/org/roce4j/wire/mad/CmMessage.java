package org.roce4j.wire.mad;

import java.nio.ByteBuffer;
import org.roce4j.wire.Bytes;

/**
 * What one connection manager says to another. Communication ids are the 32-bit numbers by which
 * each end names a connection: {@code localId} is the sender's, {@code remoteId} the receiver's.
 */
public sealed interface CmMessage
    permits Req, Mra, Rej, Rep, Rtu, Dreq, Drep, SidrReq, SidrRep, Lap, Apr {

  /** Bytes of additional information that a refusal may carry. */
  int INFO_LENGTH = 72;

  /** Which message it is, and the attribute id of its header. */
  CmAttribute attribute();

  /** As long as the message has room for: zeros follow what was given. */
  Bytes privateData();

  /** Writes all but the header to a MAD of zeros. */
  void emit(ByteBuffer mad);

  /** This message, with its header. */
  default Mad in(long transactionId) {
    return new Mad(MadHeader.of(attribute(), transactionId), this);
  }
}
