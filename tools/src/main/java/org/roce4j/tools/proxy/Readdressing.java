package org.roce4j.tools.proxy;

import java.nio.ByteBuffer;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.MadHeader;

/**
 * Changes the addresses in messages of connection managers for the other side: the GIDs of a REQ's
 * paths, and the addresses that rdma_cm puts before the private data of REQ and SIDR_REQ
 * (InfiniBand annex A11). Other messages contain no address.
 *
 * @param from the sender's address of itself
 * @param fromThere the receiver's address of the sender
 * @param to the sender's address of the receiver
 * @param toThere the receiver's address of itself
 */
record Readdressing(Gid from, Gid fromThere, Gid to, Gid toThere) {
  private static final int DETH_BYTES = 8;
  private static final int MAD_AT = Bth.SIZE + DETH_BYTES;

  /** Changes the addresses of a datagram; returns whether it is such a message. */
  boolean change(ByteBuffer b, int at, int length) {
    if (length != MAD_AT + Mad.SIZE + Icrc.SIZE
        || Bth.opcode(b, at) != Opcode.UD_SEND_ONLY.code()
        || Bth.destQp(b, at) != Mad.QPN) {
      return false;
    }
    int mad = at + MAD_AT;
    CmAttribute message = CmAttribute.ofId(b.getShort(mad + MadHeader.ATTRIBUTE_ID) & 0xFFFF);
    if (message == CmAttribute.REQ) {
      changePath(b, mad + CmPath.REQ_PRIMARY_AT);
      changePath(b, mad + CmPath.REQ_ALTERNATE_AT);
    } else if (message != CmAttribute.SIDR_REQ) {
      return false;
    }
    changeHeader(b, mad + message.privateDataAt());
    return true;
  }

  private void changePath(ByteBuffer b, int at) {
    changeGid(b, at + CmPath.LOCAL_GID);
    changeGid(b, at + CmPath.REMOTE_GID);
  }

  private void changeGid(ByteBuffer b, int at) {
    Gid there = there(new Gid(b.getLong(at), b.getLong(at + Long.BYTES)));
    if (there != null) {
      b.putLong(at, there.high()).putLong(at + Long.BYTES, there.low());
    }
  }

  private void changeHeader(ByteBuffer b, int at) {
    int ipVersion = b.get(at + 1) >>> 4 & 0xF;
    for (int address : new int[] {at + AddressHeader.SOURCE, at + AddressHeader.DESTINATION}) {
      if (b.get(at) == 0 && ipVersion == 6) {
        changeGid(b, address);
      } else if (b.get(at) == 0 && ipVersion == 4) {
        Gid there = there(Gid.ofIpv4(b.getInt(address + AddressHeader.IPV4_AT)));
        if (there != null && there.isIpv4Mapped()) {
          b.putInt(address + AddressHeader.IPV4_AT, GidAddress.ipv4(there.low()));
        }
      }
    }
  }

  /** The replacement of an address; null if it belongs to neither end. */
  private Gid there(Gid here) {
    return here.equals(from) ? fromThere : here.equals(to) ? toThere : null;
  }
}
