package org.roce4j.tools.proxy;

import java.nio.ByteBuffer;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.mad.Mad;

/**
 * What the messages of connection managers say of addresses, changed for the other side: the GIDs
 * of a REQ's paths, and the addresses that rdma_cm puts in front of the private data of REQ and
 * SIDR_REQ (InfiniBand annex A11). No other message names an address.
 *
 * @param from what the sender calls itself
 * @param fromThere what the receiver calls it
 * @param to what the sender calls the receiver
 * @param toThere what the receiver calls itself
 */
record Readdressing(Gid from, Gid fromThere, Gid to, Gid toThere) {
  private static final int DETH_BYTES = 8;
  private static final int MAD_AT = Bth.SIZE + DETH_BYTES;
  private static final int ATTRIBUTE = 16;
  private static final int REQ = 0x0010;
  private static final int SIDR_REQ = 0x0017;

  /** In a REQ: local and remote GID of the primary and of the alternate path. */
  private static final int[] GIDS = {80, 96, 124, 140};

  private static final int PRIVATE_DATA_OF_REQ = 164;
  private static final int PRIVATE_DATA_OF_SIDR_REQ = 40;
  private static final int SOURCE = 4;
  private static final int DESTINATION = 20;
  private static final int IPV4_OF_ADDRESS = 12;

  /** Whether a datagram is such a message; then its addresses are changed. */
  boolean change(ByteBuffer b, int at, int length) {
    if (length != MAD_AT + Mad.SIZE + Icrc.SIZE
        || Bth.opcode(b, at) != Opcode.UD_SEND_ONLY.code()
        || Bth.destQp(b, at) != Mad.QPN) {
      return false;
    }
    int mad = at + MAD_AT;
    int attribute = b.getShort(mad + ATTRIBUTE) & 0xFFFF;
    if (attribute == REQ) {
      for (int gid : GIDS) {
        changeGid(b, mad + gid);
      }
      changeHeader(b, mad + PRIVATE_DATA_OF_REQ);
    } else if (attribute == SIDR_REQ) {
      changeHeader(b, mad + PRIVATE_DATA_OF_SIDR_REQ);
    }
    return attribute == REQ || attribute == SIDR_REQ;
  }

  private void changeGid(ByteBuffer b, int at) {
    Gid there = there(new Gid(b.getLong(at), b.getLong(at + Long.BYTES)));
    if (there != null) {
      b.putLong(at, there.high()).putLong(at + Long.BYTES, there.low());
    }
  }

  private void changeHeader(ByteBuffer b, int at) {
    int ipVersion = b.get(at + 1) >>> 4 & 0xF;
    for (int address : new int[] {at + SOURCE, at + DESTINATION}) {
      if (b.get(at) == 0 && ipVersion == 6) {
        changeGid(b, address);
      } else if (b.get(at) == 0 && ipVersion == 4) {
        Gid there = there(Gid.ofIpv4(b.getInt(address + IPV4_OF_ADDRESS)));
        if (there != null && there.isIpv4Mapped()) {
          b.putInt(address + IPV4_OF_ADDRESS, GidAddress.ipv4(there.low()));
        }
      }
    }
  }

  /** Null: it is neither's. */
  private Gid there(Gid here) {
    return here.equals(from) ? fromThere : here.equals(to) ? toThere : null;
  }
}
