package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Parameter;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.emulator.EmulatorProvider;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.verbs.layout.WcLayout;

/** A live object of every kind, and valid arguments for their verbs. */
final class LiveObjects extends LiveLink {
  static final int DEPTH = 16;
  private static final int BYTES = 4096;
  private static final int HALF = BYTES / 2;
  private static final int PIECE = 64;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.MW_BIND;
  private static final int TIMES =
      WcExFlags.WITH_COMPLETION_TIMESTAMP | WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
  private static final long BUILT =
      SendOpsFlags.WITH_SEND | SendOpsFlags.WITH_RDMA_WRITE | SendOpsFlags.WITH_BIND_MW;
  private static final int POLLS = 10_000;
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  final Arena arena = Arena.ofShared();
  final ProtectionDomain pd = context.allocPd();
  private final CompletionChannel channel = context.createCompletionChannel();
  final CompletionQueue cq = context.createCq(4 * DEPTH, null, channel, 0);
  private final MemorySegment memory = arena.allocate(BYTES, BYTES);
  final MemoryRegion region = pd.registerMemory(memory, RIGHTS | AccessFlags.ON_DEMAND);
  private final DeviceMemory deviceMemory = context.allocDm(PIECE, 0);
  private final ThreadDomain thread = context.allocTd();
  private final MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_1);
  private final AddressHandle ah = pd.createAh(path());
  final SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(DEPTH, 2));
  final QueuePair qp = pd.createQp(init().sendOps(SendOpsFlags.WITH_SEND));

  /** A queue pair that receives from the shared queue. */
  private final QueuePair sharing = pd.createQp(init().srq(srq));

  /** A queue pair in a multicast group. */
  private final QueuePair datagrams = pd.createQp(init().qpType(QpType.UD));

  private final XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());
  private final SharedReceiveQueue xrcSrq = context.createSrq(xrcSrqInit());
  private final QueuePair target =
      context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));

  /** Positioned at a completion of {@link #looped}, which this thread reads. */
  private final ExtendedCompletionQueue extendedCq =
      context.createCqEx(new CqInitAttr().cqe(DEPTH).wcFlags(WcExFlags.STANDARD | TIMES));

  /** A queue pair that is its own peer. */
  private final QueuePair looped = pd.createQp(init().cq(extendedCq).sendOps(BUILT));

  private final CompletionQueue farCq = link.far().createCq(4 * DEPTH);
  private final MemorySegment farMemory = arena.allocate(BYTES, BYTES);
  private final ProtectionDomain farPd = link.far().allocPd();
  private final MemoryRegion farRegion = farPd.registerMemory(farMemory, RIGHTS);
  private final QueuePair farQp = farPd.createQp(farInit());
  private final QueuePair farSharing = farPd.createQp(farInit());

  final SendRequestList sends = new SendRequestList(arena, 4, 2, 0);
  final RecvRequestList receives = new RecvRequestList(arena, 4, 2);
  final WorkCompletions completions = new WorkCompletions(arena, DEPTH);
  private final WorkCompletions received = new WorkCompletions(arena, 1);
  private final MemorySegment header = arena.allocate(GlobalRouteHeader.SIZE);
  private final Map<Class<?>, Object> byKind = new HashMap<>();
  private byte pattern = 1;

  /** On a virtual network. */
  LiveObjects() {
    this(new FabricBackend(1));
  }

  /**
   * @param backend closed with these objects
   */
  LiveObjects(Backend backend) {
    super(backend);
    connect(qp, link.farAddress(), farQp);
    connect(farQp, link.nearAddress(), qp);
    connect(sharing, link.farAddress(), farSharing);
    connect(farSharing, link.nearAddress(), sharing);
    QpBringUp.to(QpState.INIT, datagrams, QpBringUp.attributes().qkey(1));
    datagrams.attachMulticast(GROUP);
    standAtACompletion();
    cq.requestNotification(false);
    works(); // leaves an event of the completion queue
    link.port(false);
    link.port(true);
    byKind.put(AsyncEvent.class, context.pollAsyncEvent()); // leaves another event
    byKind.put(VerbsProvider.class, new EmulatorProvider());
    byKind.put(RdmaDevice.class, context.device());
    byKind.put(Context.class, context);
    byKind.put(ProtectionDomain.class, pd);
    byKind.put(CompletionChannel.class, channel);
    byKind.put(CompletionQueue.class, cq);
    byKind.put(ExtendedCompletionQueue.class, extendedCq);
    byKind.put(MemoryRegion.class, region);
    byKind.put(MemoryWindow.class, window);
    byKind.put(AddressHandle.class, ah);
    byKind.put(SharedReceiveQueue.class, srq);
    byKind.put(QueuePair.class, qp);
    byKind.put(WorkRequestBuilder.class, started(looped.builder()));
    byKind.put(XrcDomain.class, xrcd);
    byKind.put(DeviceMemory.class, deviceMemory);
    byKind.put(ThreadDomain.class, thread);
    WcLayout.wcFlags(received.memory(), 0, WcFlags.GRH);
    header.set(ValueLayout.JAVA_BYTE, 20, (byte) 0x45);
    putAddress(32, link.farAddress());
    putAddress(36, link.nearAddress());
    leave(1); // leaves a completion
    receives.add().wrId(8).sge(region, HALF, PIECE);
  }

  private void standAtACompletion() {
    connect(looped, link.nearAddress(), looped);
    sends.add().opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    assertEquals(0, looped.postSend(sends.remote(region.iova(), region.rkey())));
    settle(looped);
    assertEquals(0, extendedCq.startPoll());
  }

  /** A builder with a batch that this thread has begun. */
  private static WorkRequestBuilder started(WorkRequestBuilder builder) {
    builder.start();
    return builder.send();
  }

  private void putAddress(long at, Gid gid) {
    header.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), at, gid.ipv4());
  }

  QpInitAttr init() {
    return new QpInitAttr().cq(cq).cap(new QpCapabilities(DEPTH, DEPTH, 2, 2));
  }

  SrqInitAttrEx xrcSrqInit() {
    return new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(xrcd).cq(cq);
  }

  private QpInitAttr farInit() {
    return new QpInitAttr().cq(farCq).cap(new QpCapabilities(DEPTH, DEPTH, 1, 1));
  }

  AhAttr path() {
    return AhAttr.roce(link.farAddress(), 0);
  }

  private static void connect(QueuePair qp, Gid peer, QueuePair to) {
    QpBringUp.toRts(qp, attributes(AhAttr.roce(peer, 0), to.qpNum()));
  }

  static QpAttr attributes(AhAttr path, int peer) {
    return QpBringUp.attributes(path, peer).qpAccessFlags(RIGHTS).pathMtu(Mtu.MTU_1024);
  }

  static QpAttr toInit() {
    return new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(RIGHTS);
  }

  /** The objects by their types in the verbs API. */
  Map<Class<?>, Object> objects() {
    return Map.copyOf(byKind);
  }

  // ---- calls

  /** The object to call a verb on. */
  Object target(VerbMethod verb) {
    if (verb.name().equals("SharedReceiveQueue.srqNum")) {
      return xrcSrq;
    }
    if (verb.name().equals("WorkRequestBuilder.start")) {
      return qp.builder(); // without a batch
    }
    return verb.name().endsWith("Multicast") ? datagrams : byKind.get(verb.owner());
  }

  /** Arguments with which a verb succeeds. */
  Object[] arguments(VerbMethod verb) {
    return Arrays.stream(verb.method().getParameters())
        .map(parameter -> argument(verb, parameter))
        .toArray();
  }

  private Object argument(VerbMethod verb, Parameter parameter) {
    boolean send = verb.method().getName().matches("postSend.*|whySend.*");
    return switch (parameter.getName()) {
      case "userContext" -> "mine";
      case "hook" -> (Runnable) () -> {};
      case "channel" -> channel;
      case "newPd" -> pd;
      case "window" -> window;
      case "region" -> region;
      case "group" -> GROUP;
      case "type" -> MwType.TYPE_2;
      case "memory" -> memory;
      case "header" -> header;
      case "deviceMemory" -> deviceMemory;
      case "advice" -> Advice.PREFETCH;
      case "pieces" -> List.of(new Sge(region.iova(), PIECE, region.lkey()));
      case "ece" -> new Ece(0, 0);
      case "opcode" -> WrOpcode.RDMA_WRITE;
      case "from", "to" -> MemorySegment.ofArray(new byte[1]);
      case "fd", "cmdFd", "pdHandle", "mrHandle", "dmHandle", "logAlignReq" -> 0;
      case "requests" -> send ? sends : receives;
      case "ah" -> ah;
      case "data" -> MemorySegment.ofArray(new byte[1]);
      case "buffers" -> List.of(MemorySegment.ofArray(new byte[1]));
      case "view" ->
          send
              ? sends.memory()
              : verb.owner() == CompletionQueue.class ? completions.memory() : receives.memory();
      case "firstWr" -> send ? sends.address() : receives.address();
      case "completions" -> verb.owner() == CompletionQueue.class ? completions : received;
      case "attr" -> attributes(verb);
      case "mask" -> verb.owner() == QueuePair.class ? QpAttrMask.STATE : SrqAttrMask.LIMIT;
      case "iova" -> memory.address();
      case "address" -> verb.owner() == CompletionQueue.class ? completions.address() : 0L;
      case "length" -> length(verb);
      case "offset", "headerAt", "timeoutNs" -> 0L;
      case "firstOp", "remoteAddress", "compare", "swap", "add", "value" -> 0L;
      case "rkey", "lkey", "immediate", "flags", "placement", "selectivity" -> 0;
      case "remoteQpn", "remoteQkey", "remoteSrqn", "bytes" -> 0;
      case "wrId" -> 9L;
      case "accessFlags" ->
          verb.name().endsWith("registerDeviceMemory")
              ? AccessFlags.ZERO_BASED
              : AccessFlags.LOCAL_WRITE;
      case "newAccessFlags" -> RIGHTS;
      case "moderation" -> new CqModeration(4, 16);
      case "cqe" -> 4 * DEPTH;
      case "port", "max" -> 1;
      case "pkey" -> 0xffff;
      case "compVector", "completion", "count", "index", "sendFlags" -> 0;
      case "result" -> PostResult.of(Errno.EINVAL, 0);
      case "errno" -> Errno.EINVAL.number();
      case "solicitedOnly" -> false;
      default -> throw new IllegalStateException("no argument for " + verb + " " + parameter);
    };
  }

  private static Object length(VerbMethod verb) {
    return switch (verb.method().getName()) {
      case "setSge" -> 0;
      case "allocDm", "registerDeviceMemory" -> 1L;
      default -> 0L;
    };
  }

  private Object attributes(VerbMethod verb) {
    return switch (verb.name()) {
      case "QueuePair.modify" -> new QpAttr().qpState(QpState.RTS);
      case "QueuePair.modifyRateLimit" -> new QpRateLimitAttr(1_000_000);
      case "SharedReceiveQueue.modify" -> new SrqAttr(0, 0, 1);
      case "Context.createCqEx" -> new CqInitAttr();
      case "Context.allocParentDomain" -> new ParentDomainInitAttr(pd);
      case "ProtectionDomain.createQp" -> init();
      case "Context.createQp" -> init().pd(pd);
      case "Context.createSrq" -> xrcSrqInit();
      case "Context.openXrcd" -> new XrcdInitAttr();
      case "Context.openQp" -> new QpOpenAttr(target.qpNum(), xrcd);
      case "ProtectionDomain.createSrq" -> new SrqInitAttr(DEPTH, 1);
      case "ProtectionDomain.createAh" -> path();
      default -> throw new IllegalStateException("no attributes for " + verb);
    };
  }

  // ---- whether they still work

  /** Requires that bytes are sent and received as before, through both receive queues. */
  void works() {
    drain();
    pattern++;
    memory.asSlice(0, PIECE).fill(pattern);
    farMemory.fill((byte) 0);
    write(1);
    assertEquals(0, qp.postSend(sends));
    await(cq, WcOpcode.RDMA_WRITE);
    assertEquals(pattern, farMemory.get(ValueLayout.JAVA_BYTE, PIECE - 1));
    arrives(qp::postRecv, farQp);
    arrives(srq::postRecv, farSharing);
  }

  /** Fills the list of sends with WRITEs. */
  void write(int requests) {
    sends.clear();
    for (int i = 0; i < requests; i++) {
      sends.add().wrId(7).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
      sends.remote(farRegion.iova(), farRegion.rkey()).sge(region, 0, PIECE);
    }
  }

  void addReceive(RecvRequestList list) {
    list.add().wrId(1).sge(region, HALF, PIECE);
  }

  /** Sends WRITEs whose completions are left unpolled. */
  void leave(int writes) {
    drain();
    write(writes);
    assertEquals(0, qp.postSend(sends));
    settle(qp);
    write(1);
  }

  /** The number of requests that complete until nothing is left to happen. */
  int completed() {
    settle(qp);
    return drain();
  }

  private void arrives(ToIntFunction<RecvRequestList> postReceive, QueuePair sender) {
    memory.asSlice(HALF).fill((byte) 0);
    farMemory.fill(pattern);
    try (RecvRequestList receive = new RecvRequestList(1, 1);
        SendRequestList send = new SendRequestList(1, 1, 0)) {
      addReceive(receive);
      assertEquals(0, postReceive.applyAsInt(receive));
      send.add().wrId(2).opcode(WrOpcode.SEND).sge(farRegion, 0, PIECE);
      assertEquals(0, sender.postSend(send.flags(SendFlags.SIGNALED)));
    }
    await(cq, WcOpcode.RECV);
    await(farCq, WcOpcode.SEND);
    assertEquals(pattern, memory.get(ValueLayout.JAVA_BYTE, HALF + PIECE - 1));
  }

  /** Polls all completions, which must have succeeded, and returns their number. */
  private int drain() {
    int count = 0;
    try (WorkCompletions one = new WorkCompletions(1)) {
      while (cq.poll(one) == 1) {
        assertEquals(WcStatus.SUCCESS, one.status(0), () -> one.toString(0));
        count++;
      }
    }
    return count;
  }

  /** Polls until a completion of this kind; it and all before it must have succeeded. */
  private void await(CompletionQueue from, WcOpcode opcode) {
    try (WorkCompletions one = new WorkCompletions(1)) {
      for (int i = 0; i < POLLS || isPatient(); i++) {
        int count = from.poll(one);
        assertTrue(count >= 0, () -> "poll gave " + count);
        if (count == 1) {
          assertEquals(WcStatus.SUCCESS, one.status(0), () -> one.toString(0));
          if (one.opcode(0) == opcode) {
            return;
          }
        }
      }
    }
    fail("no completion of " + opcode);
  }

  // ---- destruction

  /** Destroys the objects of this kind, and first the objects that use them. */
  void destroy(Class<?> kind) {
    cq.ackEvents(Integer.MAX_VALUE);
    datagrams.detachMulticast(GROUP);
    List<AutoCloseable> order =
        List.of(
            datagrams,
            sharing,
            looped,
            qp,
            target,
            xrcSrq,
            srq,
            xrcd,
            ah,
            thread,
            deviceMemory,
            window,
            region,
            pd,
            extendedCq,
            cq,
            channel,
            context);
    for (AutoCloseable object : order) {
      try {
        object.close();
      } catch (Exception e) {
        throw new AssertionError(object + " cannot be destroyed", e);
      }
      if (object == byKind.get(kind)) {
        return;
      }
    }
  }

  @Override
  public void close() {
    super.close();
    arena.close();
  }
}
