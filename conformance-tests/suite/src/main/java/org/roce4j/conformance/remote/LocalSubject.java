package org.roce4j.conformance.remote;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.roce4j.conformance.dialogue.Pattern;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
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
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A subject of a device of this process; owns the context. Not thread-safe. */
public final class LocalSubject implements Subject {
  private static final int DEPTH = 64;
  private static final int MOST_SGE = 4;

  private final Arena arena = Arena.ofShared();
  private final WorkCompletions completions = new WorkCompletions(arena, 1);
  private final Clock clock;
  private final int gidIndex;
  private final SubjectSetup setup;
  private final Gid peer;
  private final Map<String, MemoryWindow> windows = new HashMap<>();

  public final Context context;
  public final ProtectionDomain pd;
  public final MemorySegment memory = arena.allocate(2 * HALF, 4096);
  public final MemoryRegion region;
  public final CompletionChannel channel;
  public final CompletionQueue sendCq;
  public final CompletionQueue recvCq;

  /** Null if the queue pair receives from a queue of its own. */
  public final SharedReceiveQueue srq;

  /** Null unless it is an XRC_RECV queue pair. */
  private final XrcDomain xrcd;

  public final QueuePair qp;

  /** How this subject waits. */
  @FunctionalInterface
  public interface Clock {
    /**
     * Lets happen what is due, and waits for the condition if it must; returns whether it holds.
     */
    boolean await(BooleanSupplier condition, boolean wait);
  }

  /**
   * Makes the queue pair and takes it to the state of the setup.
   *
   * @throws org.roce4j.verbs.VerbsException if the device refuses
   */
  public LocalSubject(Context context, int gidIndex, Gid peer, SubjectSetup setup, Clock clock) {
    this.context = context;
    this.gidIndex = gidIndex;
    this.peer = peer;
    this.setup = setup;
    this.clock = clock;
    Pattern.fill(memory.asSlice(0, HALF));
    pd = context.allocPd();
    region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE | setup.get(Attribute.MR_ACCESS));
    channel = context.createCompletionChannel();
    sendCq = context.createCq(setup.get(Attribute.SEND_CQE), null, channel, 0);
    recvCq = context.createCq(setup.get(Attribute.RECV_CQE), null, channel, 0);
    xrcd = type() == QpType.XRC_RECV ? context.openXrcd(new XrcdInitAttr()) : null;
    int shared = setup.get(Attribute.SHARED_RECEIVES);
    srq =
        xrcd != null
            ? extendedSrq(xrcd, pd)
            : shared == 0 ? null : pd.createSrq(new SrqInitAttr(shared, MOST_SGE));
    qp = createQp();
    int state = setup.get(Attribute.STATE);
    if (state != 0) {
      bringUp(QpState.of(state));
    }
  }

  /** One more queue pair of the same kind, in RESET. */
  public QueuePair createQp() {
    if (xrcd != null) {
      return context.createQp(new QpInitAttr().qpType(type()).xrcd(xrcd));
    }
    return pd.createQp(
        new QpInitAttr()
            .qpType(type())
            .sendCq(sendCq)
            .recvCq(recvCq)
            .srq(srq)
            .sqSigAll(setup.get(Attribute.SIGNAL_ALL) == 1)
            .cap(new QpCapabilities(DEPTH, DEPTH, MOST_SGE, MOST_SGE, DEPTH)));
  }

  private QpType type() {
    return QpType.of(setup.get(Attribute.QP_TYPE));
  }

  private SharedReceiveQueue extendedSrq(XrcDomain domain, ProtectionDomain of) {
    return context.createSrq(
        new SrqInitAttrEx()
            .srqType(SrqType.XRC)
            .xrcd(domain)
            .pd(of)
            .cq(recvCq)
            .maxWr(DEPTH)
            .maxSge(MOST_SGE));
  }

  @Override
  public int srqNum() {
    return xrcd == null ? 0 : srq.srqNum();
  }

  @Override
  public void destroySrq() {
    srq.close();
  }

  @Override
  public int anotherSrq(boolean sameDomain) {
    XrcDomain domain = sameDomain ? xrcd : context.openXrcd(new XrcdInitAttr());
    return extendedSrq(domain, context.allocPd()).srqNum();
  }

  @Override
  public int qpNum() {
    return qp.qpNum();
  }

  @Override
  public int lkey() {
    return region.lkey();
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
  public int postSend(String... words) {
    int requests = 1 + Math.toIntExact(Stream.of(words).filter("add"::equals).count());
    SendRequestList list = new SendRequestList(arena, requests, MOST_SGE, DEPTH).add();
    Words.call(list, SendRequestList.class, List.of(words), this::argument);
    return qp.postSend(list);
  }

  private Object argument(String word, Class<?> type) {
    if (type == AddressHandle.class) {
      Gid address = word.equals("peer") ? peer : Gid.parse(word);
      return pd.createAh(AhAttr.roce(address, gidIndex));
    }
    if (type == MemoryRegion.class && List.of("region", "none").contains(word)) {
      return region(word);
    }
    return type == MemoryWindow.class ? windows.get(word) : Words.plain(word, type);
  }

  private MemoryRegion region(String name) {
    return name.equals("region") ? region : null;
  }

  @Override
  public int postRecv(String... words) {
    RecvRequestList list = new RecvRequestList(arena, 1, MOST_SGE).add();
    Words.call(list, RecvRequestList.class, List.of(words), Words::plain);
    return srq == null ? qp.postRecv(list) : srq.postRecv(list);
  }

  @Override
  public void bringUp(QpState to) {
    QpBringUp.to(to, qp, setup.attributes(AhAttr.roce(peer, gidIndex)));
  }

  @Override
  public void modify(String... words) {
    QpAttr attr = new QpAttr();
    Words.call(attr, QpAttr.class, List.of(words), Words::plain);
    qp.modify(attr);
  }

  @Override
  public String query(String attribute) {
    settle();
    return String.valueOf(Words.call(qp.query(), QpAttr.class, List.of(attribute), Words::plain));
  }

  @Override
  public void allocWindow(String name, MwType type) {
    windows.put(name, pd.allocMemoryWindow(type));
  }

  @Override
  public int windowKey(String name) {
    settle();
    return windows.get(name).rkey();
  }

  @Override
  public void bindWindow(String name, String of, long va, long length, int access) {
    qp.bindMemoryWindow(windows.get(name), 0, SendFlags.SIGNALED, region(of), va, length, access);
  }

  @Override
  public void freeWindow(String name) {
    windows.get(name).close();
  }

  @Override
  public void deregister() {
    region.close();
  }

  @Override
  public void reregister(int access) {
    region.reregister(null, access);
  }

  @Override
  public void arm(boolean solicitedOnly) {
    recvCq.requestNotification(solicitedOnly);
  }

  @Override
  public boolean notified() {
    settle();
    boolean told = channel.getCqEvent(0) == recvCq;
    if (told) {
      recvCq.ackEvents(1);
    }
    return told;
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
    if (status != WcStatus.SUCCESS) {
      return new Completed(completions.wrId(0), status, WcOpcode.SEND, 0, 0, 0, 0, 0, 0);
    }
    return new Completed(
        completions.wrId(0),
        status,
        completions.opcode(0),
        completions.byteLength(0),
        completions.flags(0),
        completions.immediate(0),
        completions.invalidatedRkey(0),
        completions.qpNum(0),
        completions.sourceQp(0));
  }

  @Override
  public EventType event(boolean wait) {
    AsyncEvent[] found = new AsyncEvent[1];
    if (!clock.await(() -> (found[0] = context.pollAsyncEvent()) != null, wait)) {
      return null;
    }
    found[0].ack();
    return found[0].type();
  }

  @Override
  public QpState state() {
    settle();
    return qp.query().qpState();
  }

  @Override
  public long counter(String label) {
    settle();
    return context.counters().get(label);
  }

  @Override
  public long word(int offset) {
    settle();
    return memory.get(ValueLayout.JAVA_LONG, HALF + (long) offset);
  }

  @Override
  public void word(int offset, long value) {
    memory.set(ValueLayout.JAVA_LONG, HALF + (long) offset, value);
  }

  @Override
  public byte[] bytes(int from, int to) {
    settle();
    return memory.asSlice(HALF + (long) from, to - from).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Lets everything happen that is due now. */
  private void settle() {
    clock.await(() -> true, false);
  }

  @Override
  public void close() {
    context.close();
    arena.close();
  }
}
