package org.roce4j.benchmarks;

import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * Two engines back to back: each receives the other's trains in place, without socket, ICRC or
 * copy. Confined to one thread.
 */
final class EnginePair implements AutoCloseable {
  private static final Listener UNHEARD = (from, at, size) -> {};

  final LoneDevice left;
  final LoneDevice right;
  private final AddressHandle toRight;
  private long packets;

  EnginePair(QpType type) {
    left = new LoneDevice(Gid.parse("10.0.0.1"), type);
    right = new LoneDevice(Gid.parse("10.0.0.2"), type);
    left.connect(right.gid, right.qp.qpNum());
    right.connect(left.gid, left.qp.qpNum());
    toRight = type == QpType.UD ? left.pd.createAh(AhAttr.roce(right.gid, 0)) : null;
  }

  /** A list of equal requests from left to right, the last of them signaled. */
  SendRequestList requests(WrOpcode opcode, int count, int bytes) {
    SendRequestList list = new SendRequestList(count, 1, 0);
    for (int i = 0; i < count; i++) {
      list.add().wrId(i).opcode(opcode).flags(i == count - 1 ? SendFlags.SIGNALED : 0);
      list.sge(left.memory, 0, bytes);
      switch (opcode) {
        case SEND, SEND_WITH_IMM -> {
          if (toRight != null) {
            list.ud(toRight, right.qp.qpNum(), LoneDevice.QKEY);
          }
        }
        case ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP ->
            list.atomic(right.memory.iova(), right.memory.rkey(), 1, 1);
        default -> list.remote(right.memory.iova(), right.memory.rkey());
      }
    }
    return list;
  }

  /** A list of equal receive requests for the right side. */
  RecvRequestList receives(int count, int bytes) {
    int headroom = toRight == null ? 0 : 40;
    RecvRequestList list = new RecvRequestList(count, 1);
    for (int i = 0; i < count; i++) {
      list.add().wrId(i).sge(right.memory, 0, bytes + headroom);
    }
    return list;
  }

  /** Sees each datagram, where it lies in its sender's train. */
  interface Listener {
    void carried(LoneDevice from, int at, int size);
  }

  /** Carries datagrams both ways until neither side has any; how many. */
  int exchange() {
    return exchange(UNHEARD);
  }

  /** Carries datagrams both ways, and announces each one before it arrives. */
  int exchange(Listener listener) {
    int total = 0;
    int carried;
    do {
      carried = carry(left, right, listener) + carry(right, left, listener);
      total += carried;
    } while (carried > 0);
    packets += total;
    return total;
  }

  /** Posts to the left, runs until done, polls both sides; the completions taken. */
  int run(RecvRequestList receives, SendRequestList requests) {
    int errno = receives == null ? 0 : right.qp.postRecv(receives);
    errno |= left.qp.postSend(requests);
    if (errno != 0) {
      throw new IllegalStateException("posting failed: errno " + errno);
    }
    exchange();
    return left.pollAll() + right.pollAll();
  }

  /** Datagrams carried so far. */
  long packets() {
    return packets;
  }

  private static int carry(LoneDevice from, LoneDevice to, Listener listener) {
    from.beginTurn();
    int carried = 0;
    for (int count = from.nextTrain(); count > 0; count = from.nextTrain()) {
      to.expect(from);
      int at = 0;
      for (int k = 0; k < count; k++) {
        int size = from.train.sizeOf(k);
        listener.carried(from, at, size);
        to.deliver(from, at, size);
        at += size;
      }
      carried += count;
    }
    return carried;
  }

  @Override
  public void close() {
    left.close();
    right.close();
  }
}
