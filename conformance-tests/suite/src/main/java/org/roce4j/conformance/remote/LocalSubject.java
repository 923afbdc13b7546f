package org.roce4j.conformance.remote;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.roce4j.conformance.dialogue.MessagePattern;
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
import org.roce4j.verbs.PortAttr;
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
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A subject on a device of this process. Owns the context. Not thread-safe. */
public final class LocalSubject implements Subject {
  private static final int DEPTH = 64;
  private static final int MOST_SGE = 4;

  private static final String REGION = "region";

  private final Arena arena;
  private final WorkCompletions completions;
  private final Clock clock;
  private final int gidIndex;
  private final SubjectSetup setup;
  private final Gid peer;
  private final Map<String, MemoryWindow> windows;
  private final Map<String, MemoryRegion> regions;
  private final Map<String, LocalSubject> others;

  private final Context context;
  private final ProtectionDomain pd;
  private final MemorySegment memory;
  private final CompletionChannel channel;
  private final CompletionQueue sendCq;
  private final CompletionQueue recvCq;

  /** Null if the queue pair receives from a queue of its own. */
  private final SharedReceiveQueue srq;

  /** Null unless it is an XRC_RECV queue pair. */
  private final XrcDomain xrcd;

  private final QueuePair qp;

  /** The way in which the subject waits. */
  @FunctionalInterface
  public interface Clock {
    /**
     * Runs everything that is due and, if {@code wait}, waits for the condition; returns whether
     * the condition holds.
     */
    boolean await(BooleanSupplier condition, boolean wait);
  }

  /**
   * Creates the queue pair and takes it to the state of the setup.
   *
   * @throws org.roce4j.verbs.VerbsException if the device refuses
   */
  public LocalSubject(Context context, int gidIndex, Gid peer, SubjectSetup setup, Clock clock) {
    this.context = context;
    this.gidIndex = gidIndex;
    this.peer = peer;
    this.setup = setup;
    this.clock = clock;
    arena = Arena.ofShared();
    completions = new WorkCompletions(arena, 1);
    windows = new HashMap<>();
    regions = new HashMap<>();
    others = new HashMap<>();
    memory = arena.allocate(2 * HALF, 4096);
    MessagePattern.fill(memory.asSlice(0, HALF));
    pd = context.allocPd();
    register(REGION, AccessFlags.LOCAL_WRITE | setup.get(Attribute.MR_ACCESS), true);
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
    begin();
  }

  /** Another queue pair, which shares all objects of {@code first} except the queue pair. */
  private LocalSubject(LocalSubject first, Gid peer, SubjectSetup setup) {
    this.peer = peer;
    this.setup = setup;
    arena = first.arena;
    completions = first.completions;
    clock = first.clock;
    gidIndex = first.gidIndex;
    windows = first.windows;
    regions = first.regions;
    others = first.others;
    context = first.context;
    pd = first.pd;
    memory = first.memory;
    channel = first.channel;
    sendCq = first.sendCq;
    recvCq = first.recvCq;
    srq = first.srq;
    xrcd = first.xrcd;
    qp = createQp();
    begin();
  }

  private void begin() {
    int state = setup.get(Attribute.STATE);
    if (state != 0) {
      bringUp(QpState.of(state));
    }
  }

  private QueuePair createQp() {
    if (xrcd != null) {
      return context.createQp(new QpInitAttr().qpType(type()).xrcd(xrcd));
    }
    ProtectionDomain domain = setup.get(Attribute.FOREIGN_DOMAIN) == 1 ? context.allocPd() : pd;
    return domain.createQp(
        new QpInitAttr()
            .qpType(type())
            .sendCq(sendCq)
            .recvCq(recvCq)
            .srq(srq)
            .sendOps(setup.get(Attribute.FLUSHES) == 1 ? SendOpsFlags.WITH_FLUSH : 0)
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
  public void second(String name, String address, String... words) {
    SubjectSetup other = SubjectSetup.parse(String.join(" ", words));
    others.put(name, new LocalSubject(this, address(address), other));
  }

  private Gid address(String word) {
    return word.equals(PEER) ? peer : Gid.parse(word);
  }

  @Override
  public LocalSubject with(String name) {
    return others.get(name);
  }

  @Override
  public void destroy() {
    settle();
    qp.close();
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
    return lkey(REGION);
  }

  @Override
  public int rkey() {
    return rkey(REGION);
  }

  @Override
  public void register(String name, int access, boolean sameDomain) {
    ProtectionDomain domain = sameDomain ? pd : context.allocPd();
    regions.put(name, domain.registerMemory(memory, access));
  }

  @Override
  public int lkey(String name) {
    return regions.get(name).lkey();
  }

  @Override
  public int rkey(String name) {
    return regions.get(name).rkey();
  }

  @Override
  public long base() {
    return memory.address();
  }

  @Override
  public int postSend(String... words) {
    int requests = 1 + Math.toIntExact(Stream.of(words).filter("add"::equals).count());
    SendRequestList list = new SendRequestList(arena, requests, MOST_SGE, DEPTH).add();
    Words.call(list, SendRequestList.class, List.of(words), this::argument);
    int errno = qp.postSend(list);
    list.memory().fill((byte) 0); // the list belongs to the program again, inline data included
    return errno;
  }

  @Override
  public int postFlush(
      long wrId, int flags, long va, int rkey, long length, int placement, int selectivity) {
    WorkRequestBuilder builder = qp.builder();
    builder.start();
    builder.wrId(wrId).flags(flags).flush(rkey, va, length, placement, selectivity);
    return builder.complete();
  }

  private Object argument(String word, Class<?> type) {
    if (type == AddressHandle.class) {
      return pd.createAh(path(word));
    }
    if (type == AhAttr.class) {
      return path(word);
    }
    if (type == MemorySegment.class) {
      String[] range = word.split("\\.\\.");
      long from = Long.parseLong(range[0]);
      return memory.asSlice(from, Long.parseLong(range[1]) - from);
    }
    if (type == MemoryRegion.class && (word.equals("none") || regions.containsKey(word))) {
      return regions.get(word);
    }
    return type == MemoryWindow.class ? windows.get(word) : Words.plain(word, type);
  }

  private AhAttr path(String word) {
    return AhAttr.roce(address(word), gidIndex);
  }

  @Override
  public int postRecv(String... words) {
    RecvRequestList list = new RecvRequestList(arena, 1, MOST_SGE).add();
    Words.call(list, RecvRequestList.class, List.of(words), Words::plain);
    return srq == null ? qp.postRecv(list) : srq.postRecv(list);
  }

  @Override
  public void bringUp(QpState to) {
    bringUp(to, PEER);
  }

  @Override
  public void bringUp(QpState to, String address) {
    QpBringUp.to(to, qp, setup.attributes(path(address)));
  }

  @Override
  public void modify(String... words) {
    QpAttr attr = new QpAttr();
    Words.call(attr, QpAttr.class, List.of(words), this::argument);
    qp.modify(attr);
  }

  @Override
  public String query(String attributes) {
    settle();
    return text(qp.query(), QpAttr.class, attributes);
  }

  @Override
  public String queryPort(String attribute) {
    settle();
    return text(context.queryPort(1), PortAttr.class, attribute);
  }

  private static String text(Object told, Class<?> type, String getters) {
    return String.valueOf(Words.call(told, type, List.of(getters.split("\\.")), Words::plain));
  }

  @Override
  public void attachMulticast(String group) {
    qp.attachMulticast(Gid.parse(group));
  }

  @Override
  public void detachMulticast(String group) {
    qp.detachMulticast(Gid.parse(group));
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
    qp.bindMemoryWindow(
        windows.get(name), 0, SendFlags.SIGNALED, regions.get(of), va, length, access);
  }

  @Override
  public void freeWindow(String name) {
    windows.get(name).close();
  }

  @Override
  public void deregister(String name) {
    regions.get(name).close();
  }

  @Override
  public void reregister(int access) {
    regions.get(REGION).reregister(null, access);
  }

  @Override
  public void arm(boolean solicitedOnly) {
    recvCq.requestNotification(solicitedOnly);
  }

  @Override
  public void resize(int cqe) {
    recvCq.resize(cqe);
  }

  @Override
  public boolean sendsLost() {
    settle();
    return sendCq.poll(completions) < 0;
  }

  @Override
  public void armLimit(int limit) {
    srq.modify(new SrqAttr(0, 0, limit), SrqAttrMask.LIMIT);
  }

  @Override
  public int limit() {
    settle();
    return srq.query().limit();
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

  /** Runs everything that is due. */
  private void settle() {
    clock.await(() -> true, false);
  }

  @Override
  public void close() {
    context.close();
    arena.close();
  }
}
