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
  default CmAttribute attribute() {
    return switch (this) {
      case Req _ -> CmAttribute.REQ;
      case Mra _ -> CmAttribute.MRA;
      case Rej _ -> CmAttribute.REJ;
      case Rep _ -> CmAttribute.REP;
      case Rtu _ -> CmAttribute.RTU;
      case Dreq _ -> CmAttribute.DREQ;
      case Drep _ -> CmAttribute.DREP;
      case SidrReq _ -> CmAttribute.SIDR_REQ;
      case SidrRep _ -> CmAttribute.SIDR_REP;
      case Lap _ -> CmAttribute.LAP;
      case Apr _ -> CmAttribute.APR;
    };
  }

  /** The private data, padded with zeros to the size of the message's field. */
  Bytes privateData();

  /** Writes all but the header and the private data to a MAD of zeros. */
  void emit(ByteBuffer mad);

  /** This message, with its header. */
  default Mad in(long transactionId) {
    return new Mad(MadHeader.of(attribute(), transactionId), this);
  }
}
