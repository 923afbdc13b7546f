package org.roce4j.conformance.dialogue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
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
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Transport;

/**
 * A queue pair of an emulated device on a fabric, alone with a scripted peer: the local half of a
 * dialogue. One region holds everything; bytes 0 to {@link #HALF} are the {@link Pattern} that
 * requests send, the rest is empty, for what is received. All checks look at what has happened now;
 * none lets time pass.
 */
public final class QpUnderTest implements AutoCloseable {
  /** Where the empty half of the region begins, bytes. */
  public static final int HALF = 1 << 16;

  /** The peer's queue pair number. */
  public static final int PEER_QPN = 0xabcd;

  private final QpSetup setup;
  private final Arena arena = Arena.ofShared();
  private final WorkCompletions completions = new WorkCompletions(arena, 1);

  public final Fabric fabric = new Fabric(noDelay());
  public final VirtualDevice device;
  public final FabricWire wire;
  public final Context context;
  public final ProtectionDomain pd;
  public final MemorySegment memory = arena.allocate(2 * HALF, 4096);
  public final MemoryRegion region;
  public final CompletionChannel channel;
  public final CompletionQueue sendCq;
  public final CompletionQueue recvCq;
  public final SharedReceiveQueue srq;
  public final QueuePair qp;

  /** The script. */
  public final Dialogue dialogue;

  /** What the peer says. */
  public final ConnectedPackets peer;

  /** What the device is expected to say. */
  public final ConnectedPackets here;

  private static FabricOptions noDelay() {
    return FabricOptions.of(1).withLink(LinkModel.PERFECT.withDelayNs(0));
  }

  QpUnderTest(QpSetup setup) {
    this.setup = setup;
    Gid[] addresses =
        setup.another == null ? new Gid[] {setup.device} : new Gid[] {setup.device, setup.another};
    device = new VirtualDevice(fabric, setup.limits, EngineTrace.NONE, addresses);
    wire = new FabricWire(fabric, setup.device, setup.peers);
    context = device.open();
    pd = context.allocPd();
    Pattern.fill(memory.asSlice(0, HALF));
    region = pd.registerMemory(memory, setup.regionAccess);
    channel = context.createCompletionChannel();
    sendCq = context.createCq(setup.sendCqe, null, channel, 0);
    recvCq = context.createCq(setup.recvCqe, null, channel, 0);
    int shared = setup.sharedReceiveRequests;
    srq = shared == 0 ? null : pd.createSrq(new SrqInitAttr(shared, 4));
    qp = createQp();
    Transport transport = setup.type == QpType.UC ? Transport.UC : Transport.RC;
    peer =
        new ConnectedPackets(
            transport, qp.qpNum(), setup.attributes.rqPsn(), setup.attributes.sqPsn());
    here =
        new ConnectedPackets(
            transport, PEER_QPN, setup.attributes.sqPsn(), setup.attributes.rqPsn());
    dialogue = new Dialogue(wire);
  }

  /**
   * Another queue pair of the same device and kind in RTS, with a peer of its own behind the same
   * wire.
   */
  public record Second(QueuePair qp, ConnectedPackets peer, ConnectedPackets here) {}

  /** Makes another queue pair and connects it to the wire's first address. */
  public Second second() {
    return second(wire.address());
  }

  /** Makes another queue pair and connects it to another address of the wire. */
  public Second second(Gid address) {
    QueuePair other = createQp();
    QpBringUp.toRts(other, toward(address).destQpNum(PEER_QPN + 1));
    Transport transport = peer.transport();
    return new Second(
        other,
        new ConnectedPackets(
            transport, other.qpNum(), setup.attributes.rqPsn(), setup.attributes.sqPsn()),
        new ConnectedPackets(
            transport, PEER_QPN + 1, setup.attributes.sqPsn(), setup.attributes.rqPsn()));
  }

  /** One more queue pair of the same kind, in RESET. */
  public QueuePair createQp() {
    return pd.createQp(
        new QpInitAttr()
            .qpType(setup.type)
            .sendCq(sendCq)
            .recvCq(recvCq)
            .srq(srq)
            .sqSigAll(setup.signalAll)
            .cap(new QpCapabilities(setup.maxSendWr, setup.maxRecvWr, 4, 4, 64)));
  }

  // ---- states

  /** RESET to INIT with the attributes of the setup. */
  public QpUnderTest toInit() {
    QpBringUp.to(QpState.INIT, qp, toward(wire.address()));
    return this;
  }

  /** INIT to RTR with the attributes of the setup. */
  public QpUnderTest toRtr() {
    QpBringUp.to(QpState.RTR, qp, toward(wire.address()));
    return this;
  }

  /** RTR to RTS with the attributes of the setup. */
  public QpUnderTest toRts() {
    QpBringUp.to(QpState.RTS, qp, toward(wire.address()));
    return this;
  }

  /** Leaves RESET for RTS by way of INIT and RTR, with the wire's other address as the peer's. */
  public void connectsTo(Gid address) {
    QpBringUp.toRts(qp, toward(address));
  }

  private QpAttr toward(Gid address) {
    return setup.attributes.ahAttr(AhAttr.roce(address, 0)).destQpNum(PEER_QPN);
  }

  /** Moves on with nothing but the state. */
  public void moves(QpState to) {
    qp.modify(new QpAttr().qpState(to));
  }

  public void isIn(QpState state) {
    settle();
    check(qp.state() == state, "the queue pair is in " + qp.state() + ", not in " + state);
  }

  // ---- posting

  /** Posts one request as the caller completes it; it has its wrId and opcode. */
  public SendRequestList request(long wrId, WrOpcode opcode) {
    return new SendRequestList(arena, 1, 4, 64).add().wrId(wrId).opcode(opcode);
  }

  public void posts(SendRequestList requests) {
    int errno = qp.postSend(requests);
    check(errno == 0, "post_send gave errno " + errno);
  }

  /** Posts a SEND of the first bytes of the pattern. */
  public void postsSend(long wrId, int bytes) {
    posts(request(wrId, WrOpcode.SEND).sge(region, 0, bytes));
  }

  /** Posts an RDMA WRITE of the first bytes of the pattern. */
  public void postsWrite(long wrId, int bytes, long va, int rkey) {
    posts(request(wrId, WrOpcode.RDMA_WRITE).remote(va, rkey).sge(region, 0, bytes));
  }

  /** Posts an RDMA READ into the empty half. */
  public void postsRead(long wrId, int bytes, long va, int rkey) {
    posts(request(wrId, WrOpcode.RDMA_READ).remote(va, rkey).sge(region, HALF, bytes));
  }

  /** Posts a fetch-and-add whose result goes to the empty half. */
  public void postsFetchAdd(long wrId, long va, int rkey, long add) {
    posts(
        request(wrId, WrOpcode.ATOMIC_FETCH_AND_ADD)
            .atomic(va, rkey, add, 0)
            .sge(region, HALF, Long.BYTES));
  }

  /** Posts an ATOMIC_WRITE of the first eight bytes of the pattern. */
  public void postsAtomicWrite(long wrId, long va, int rkey) {
    posts(request(wrId, WrOpcode.ATOMIC_WRITE).remote(va, rkey).sge(region, 0, Long.BYTES));
  }

  /** Posts a receive into the empty half, or into the shared queue. */
  public void postsReceive(long wrId, int bytes) {
    postsReceive(wrId, bytes, region.lkey());
  }

  /** Posts a receive with an lkey of its own. */
  public void postsReceive(long wrId, int bytes, int lkey) {
    RecvRequestList list = new RecvRequestList(arena, 1, 4).add().wrId(wrId);
    list.sge(region.address() + HALF, bytes, lkey);
    int errno = srq == null ? qp.postRecv(list) : srq.postRecv(list);
    check(errno == 0, "post_recv gave errno " + errno);
  }

  // ---- what happened

  /** The next send completion, by number and status. */
  public void sent(long wrId, WcStatus status) {
    completed(sendCq, wrId, status);
  }

  /** The next receive completion; it stays to be asked by {@link #lastCompletion}. */
  public void received(long wrId, WcStatus status) {
    completed(recvCq, wrId, status);
  }

  /** The next receive completion is a success of so many bytes. */
  public void received(long wrId, int bytes) {
    completed(recvCq, wrId, WcStatus.SUCCESS);
    check(
        completions.byteLength(0) == bytes,
        "received " + completions.byteLength(0) + " bytes, not " + bytes);
  }

  private void completed(CompletionQueue cq, long wrId, WcStatus status) {
    settle();
    check(cq.poll(completions) == 1, "no completion for request " + wrId);
    check(
        completions.wrId(0) == wrId && completions.status(0) == status,
        "completion is " + completions.toString(0) + ", not " + wrId + " " + status);
  }

  /** The completion that was checked last. */
  public WorkCompletions lastCompletion() {
    return completions;
  }

  public void nothingSent() {
    nothing(sendCq);
  }

  public void nothingReceived() {
    nothing(recvCq);
  }

  private void nothing(CompletionQueue cq) {
    settle();
    check(cq.poll(completions) == 0, () -> "unexpected completion " + completions.toString(0));
  }

  /** The next asynchronous event is of this type; it is acknowledged. */
  public void event(EventType type) {
    settle();
    AsyncEvent event = context.pollAsyncEvent();
    check(event != null, "no event, expected " + type);
    event.ack();
    check(event.type() == type, "event is " + event.type() + ", not " + type);
  }

  public void noEvent() {
    settle();
    AsyncEvent event = context.pollAsyncEvent();
    check(event == null, () -> "unexpected event " + event.type());
  }

  /** The channel tells of that completion queue. */
  public void notified(CompletionQueue cq) {
    settle();
    CompletionQueue told = channel.getCqEvent(0);
    check(told == cq, () -> told == null ? "nothing was told" : "another queue was told of");
    cq.ackEvents(1);
  }

  public void notNotified() {
    settle();
    check(channel.getCqEvent(0) == null, "a completion event was not expected");
  }

  public long counter(Counter counter) {
    settle();
    return context.counters().get(counter.label());
  }

  /** What was received is the pattern; the byte after it was not touched. */
  public void landed(int bytes) {
    landed(0, bytes);
  }

  /** Bytes {@code [from, to)} of the empty half are those of the pattern. */
  public void landed(int from, int to) {
    for (int i = from; i < to; i++) {
      int at = i;
      check(emptyHalf(i) == Pattern.at(i), () -> "byte " + at + " did not arrive");
    }
    check(emptyHalf(to) == 0, () -> "byte " + to + " was overwritten");
  }

  /** Nothing was written to the empty half. */
  public void nothingLanded() {
    for (int i = 0; i < HALF; i++) {
      int at = i;
      check(emptyHalf(i) == 0, () -> "byte " + at + " was overwritten");
    }
  }

  private byte emptyHalf(int i) {
    return memory.get(ValueLayout.JAVA_BYTE, HALF + (long) i);
  }

  /** Address of byte {@code i} of the empty half. */
  public long va(int i) {
    return region.address() + HALF + i;
  }

  /** Address of byte {@code i} of the pattern. */
  public long patternVa(int i) {
    return region.address() + i;
  }

  public long word(int i) {
    return memory.get(ValueLayout.JAVA_LONG, HALF + (long) i);
  }

  public void word(int i, long value) {
    memory.set(ValueLayout.JAVA_LONG, HALF + (long) i, value);
  }

  /** Lets everything happen that is due now. */
  public void settle() {
    fabric.runUntil(() -> false, fabric.nowNs());
  }

  private static void check(boolean fine, String complaint) {
    check(fine, () -> complaint);
  }

  private static void check(boolean fine, Supplier<String> complaint) {
    if (!fine) {
      throw new AssertionError(complaint.get());
    }
  }

  @Override
  public void close() {
    context.close();
    fabric.close();
    arena.close();
  }
}
