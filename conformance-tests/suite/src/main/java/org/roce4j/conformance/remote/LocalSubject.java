package org.roce4j.conformance.remote;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.roce4j.conformance.dialogue.Pattern;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
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
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** A subject of a device of this process; owns the context. Not thread-safe. */
public final class LocalSubject implements Subject {
  private static final int DEPTH = 64;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(2 * HALF, 4096);
  private final WorkCompletions completions = new WorkCompletions(arena, 1);
  private final Context context;
  private final Clock clock;
  private final ProtectionDomain pd;
  private final MemoryRegion region;
  private final CompletionQueue sendCq;
  private final CompletionQueue recvCq;
  private final QueuePair qp;

  /** How this subject waits. */
  @FunctionalInterface
  public interface Clock {
    /**
     * Lets happen what is due, and waits for the condition if it must; returns whether it holds.
     */
    boolean await(BooleanSupplier condition, boolean wait);
  }

  /**
   * Makes the queue pair and connects it.
   *
   * @throws org.roce4j.verbs.VerbsException if the device refuses
   */
  public LocalSubject(Context context, int gidIndex, Gid peer, SubjectSetup setup, Clock clock) {
    this.context = context;
    this.clock = clock;
    Pattern.fill(memory.asSlice(0, HALF));
    pd = context.allocPd();
    region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE | setup.get(Attribute.MR_ACCESS));
    sendCq = context.createCq(2 * DEPTH, null, null, 0);
    recvCq = context.createCq(2 * DEPTH, null, null, 0);
    QpType type = QpType.of(setup.get(Attribute.QP_TYPE));
    qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(type)
                .sendCq(sendCq)
                .recvCq(recvCq)
                .sqSigAll(true)
                .cap(new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
    QpBringUp.toRts(qp, setup.attributes(AhAttr.roce(peer, gidIndex)));
  }

  @Override
  public int qpNum() {
    return qp.qpNum();
  }

  @Override
  public int rkey() {
    return region.rkey();
  }

  @Override
  public long base() {
    return region.address();
  }

  @Override
  public void post(
      WrOpcode opcode, long wrId, int bytes, long remoteVa, int rkey, long operand, long swap) {
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    boolean fetches = atomic || opcode == WrOpcode.RDMA_READ;
    SendRequestList list = new SendRequestList(arena, 1, 1, 0);
    list.add().wrId(wrId).opcode(opcode).flags(SendFlags.SIGNALED);
    if (atomic) {
      list.atomic(remoteVa, rkey, operand, swap);
    } else if (opcode == WrOpcode.RDMA_READ
        || opcode == WrOpcode.RDMA_WRITE
        || opcode == WrOpcode.RDMA_WRITE_WITH_IMM) {
      list.remote(remoteVa, rkey);
    }
    refuse("post_send", qp.postSend(list.sge(region, fetches ? HALF : 0, bytes)));
  }

  @Override
  public void receive(long wrId, int bytes) {
    RecvRequestList list = new RecvRequestList(arena, 1, 1);
    refuse("post_recv", qp.postRecv(list.add().wrId(wrId).sge(region, HALF, bytes)));
  }

  private static void refuse(String verb, int errno) {
    if (errno != 0) {
      throw new Refused(verb + " gave errno " + errno);
    }
  }

  @Override
  public Completed sent(boolean wait) {
    return completed(sendCq, wait);
  }

  @Override
  public Completed received(boolean wait) {
    return completed(recvCq, wait);
  }

  private Completed completed(CompletionQueue cq, boolean wait) {
    if (!clock.await(() -> cq.poll(completions) == 1, wait)) {
      return null;
    }
    WcStatus status = completions.status(0);
    return new Completed(completions.wrId(0), status, completions.byteLength(0));
  }

  @Override
  public EventType event() {
    AsyncEvent[] found = new AsyncEvent[1];
    if (!clock.await(() -> (found[0] = context.pollAsyncEvent()) != null, true)) {
      return null;
    }
    found[0].ack();
    return found[0].type();
  }

  @Override
  public QpState state() {
    clock.await(() -> true, false);
    return qp.query().qpState();
  }

  @Override
  public long word(int offset) {
    clock.await(() -> true, false);
    return memory.get(ValueLayout.JAVA_LONG, HALF + (long) offset);
  }

  @Override
  public void word(int offset, long value) {
    memory.set(ValueLayout.JAVA_LONG, HALF + (long) offset, value);
  }

  @Override
  public byte[] bytes(int from, int to) {
    clock.await(() -> true, false);
    return memory.asSlice(HALF + (long) from, to - from).toArray(ValueLayout.JAVA_BYTE);
  }

  @Override
  public void move(QpState to) {
    qp.modify(new QpAttr().qpState(to));
  }

  @Override
  public void close() {
    qp.close();
    sendCq.close();
    recvCq.close();
    region.close();
    pd.close();
    context.close();
    arena.close();
  }
}
