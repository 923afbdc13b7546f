package org.roce4j.robustness;

import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Transport;

/**
 * A live queue pair whose peer is the attacker. When the attack has legally brought it into the
 * error state, it is created again.
 */
final class Victim {
  static final int REGION = 64 << 10;
  static final int PEER_QPN = 0x123456;
  static final int QKEY = 0x1111_1111;
  private static final int RECEIVES = 16;
  private static final int SENDS = 8;

  private final QpType type;
  private final Gid peer;
  private final CompletionQueue cq;
  private final QueuePair qp;
  private final MemoryRegion open;
  private final MemoryRegion received;
  private final int[] keys;
  private final SendRequestList sends = new SendRequestList(1, 1, 0);
  private final RecvRequestList receives = new RecvRequestList(1, 1);
  private final WorkCompletions completions = new WorkCompletions(64);
  private int postedReceives;
  private int postedSends;
  private long revivals;
  private int requestPsn;
  private int responsePsn;

  Victim(Context context, QpType type, Gid peer, GuardedMemory memory) {
    this.type = type;
    this.peer = peer;
    ProtectionDomain pd = context.allocPd();
    cq = context.createCq(4096);
    qp =
        pd.createQp(
            new QpInitAttr().qpType(type).cq(cq).cap(new QpCapabilities(SENDS, RECEIVES, 1, 1)));
    open = pd.registerMemory(memory.piece(REGION), RcSide.ALL_RIGHTS);
    received = pd.registerMemory(memory.piece(REGION), AccessFlags.LOCAL_WRITE);
    MemoryRegion locked = pd.registerMemory(memory.untouchable(REGION), AccessFlags.REMOTE_READ);
    MemoryRegion foreign =
        context.allocPd().registerMemory(memory.untouchable(REGION), RcSide.ALL_RIGHTS);
    keys = new int[] {open.rkey(), open.rkey(), open.rkey(), locked.rkey(), foreign.rkey()};
    revive();
  }

  int qpNum() {
    return qp.qpNum();
  }

  QpType type() {
    return type;
  }

  Transport transport() {
    return switch (type) {
      case UC -> Transport.UC;
      case UD -> Transport.UD;
      default -> Transport.RC;
    };
  }

  /** The PSN that its responder expects, as of the last query. */
  int requestPsn() {
    return requestPsn;
  }

  /** The PSN that its requester uses next, as of the last query. */
  int responsePsn() {
    return responsePsn;
  }

  /** A key of one of its regions, open or not. */
  int key(SplittableRandom random) {
    return random.nextInt(8) == 0 ? random.nextInt() : keys[random.nextInt(keys.length)];
  }

  /** An address in the open region, at its edge or beyond it. */
  long address(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> open.iova() + random.nextInt(REGION);
      case 1 -> open.iova() + REGION - random.nextInt(2048);
      case 2 -> open.iova() - 64 + random.nextInt(128);
      default -> open.iova() + (random.nextInt(REGION) & ~7);
    };
  }

  long revivals() {
    return revivals;
  }

  /**
   * Polls completions, posts new requests for the completed ones, and revives the queue pair after
   * an error.
   */
  void attend(SplittableRandom random) {
    int count;
    while ((count = cq.poll(completions)) > 0) {
      for (int i = 0; i < count; i++) {
        if (completions.wrId(i) == 0) {
          postedSends--;
        } else {
          postedReceives--;
        }
      }
    }
    if (count < 0) {
      throw new AssertionError("poll gave " + count);
    }
    QpState state = qp.state();
    if (state != QpState.RTS) {
      revive();
    }
    post(random);
    QpAttr now = qp.query();
    requestPsn = now.rqPsn();
    responsePsn = now.sqPsn();
  }

  private void post(SplittableRandom random) {
    while (postedReceives < RECEIVES) {
      receives.clear().add().wrId(1).sge(received, 0, 4096);
      if (qp.postRecv(receives) != 0) {
        break;
      }
      postedReceives++;
    }
    if (type != QpType.UD && postedSends < SENDS) {
      WrOpcode opcode =
          type == QpType.UC
              ? WrOpcode.SEND
              : switch (random.nextInt(3)) {
                case 0 -> WrOpcode.SEND;
                case 1 -> WrOpcode.RDMA_READ;
                default -> WrOpcode.ATOMIC_FETCH_AND_ADD;
              };
      sends.clear().add().wrId(0).opcode(opcode).flags(SendFlags.SIGNALED);
      if (opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
        sends.sge(received, 8192, 8).atomic(4096, 1, 1, 0);
      } else {
        sends.sge(received, 8192, random.nextInt(1, 3000)).remote(4096, 1);
      }
      postedSends += qp.postSend(sends) == 0 ? 1 : 0;
    }
  }

  private void revive() {
    revivals++;
    qp.modify(new QpAttr().qpState(QpState.RESET));
    while (cq.poll(completions) > 0) {
      continue; // requests from before
    }
    postedReceives = 0;
    postedSends = 0;
    try {
      connect();
    } catch (VerbsException refused) {
      // The attack brought it into the error state between RTR and RTS: it is revived the next
      // time.
      if (refused.errno() != Errno.EINVAL || qp.state() != QpState.ERR) {
        throw refused;
      }
    }
  }

  private void connect() {
    QpBringUp.toRts(qp, RcSide.attributes(peer, PEER_QPN).qkey(QKEY));
  }

  void destroy() {
    qp.close();
    cq.close();
  }
}
