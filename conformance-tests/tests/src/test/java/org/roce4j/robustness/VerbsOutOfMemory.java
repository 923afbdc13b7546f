package org.roce4j.robustness;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Runs each verb that needs memory once for each of its allocations, which then fails. Runs with
 * the classes of an {@link AllocationLoader}.
 */
public final class VerbsOutOfMemory {
  /** More than the number of objects that any verb creates. */
  private static final int MANY = 1000;

  private static final int REQUESTS = 64;

  /** For a batch, the queue grows once more. */
  private static final int BATCH = 56;

  /**
   * State that may differ after a verb: used numbers and slots, whether a waiting thread was woken,
   * and the batch that a builder was refused.
   */
  private static final List<String> RESERVES =
      List.of(
          "org.roce4j.engine.QpTable.next",
          "org.roce4j.engine.queue.HandleTable.next",
          "org.roce4j.engine.queue.SendBatch.size",
          "org.roce4j.verbs.BuilderTurn.addressed",
          "org.roce4j.verbs.BuilderTurn.errno",
          "org.roce4j.verbs.BuilderTurn.index",
          "org.roce4j.engine.queue.ReadySignals.eventful",
          "org.roce4j.engine.memory.KeyTable.used",
          "org.roce4j.engine.memory.Region", // one closed object represents all of them
          "org.roce4j.engine.memory.Region.valid");

  private final Device device =
      new Device(
          null,
          DeviceLimits.DEFAULT,
          new GidTable(List.of(Gid.parse("10.0.0.1")), 0),
          Mtu.MTU_1024,
          new SplittableRandom(7),
          EngineTrace.NONE);
  private final Context context;
  private final ProtectionDomain pd;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final SharedReceiveQueue srq;
  private final QueuePair rc;
  private final QueuePair ud;
  private final MemorySegment memory = Arena.ofAuto().allocate(64, 64);
  private final List<String> complaints = new ArrayList<>();

  /** A port that records the groups that it has joined. */
  private static final class JoiningPort implements PortControl {
    private long joined;

    @Override
    public void join(Gid group, Gid own) {
      joined++;
    }

    @Override
    public void leave(Gid group, Gid own) {
      joined--;
    }

    @Override
    public PortState state(int port) {
      return PortState.ACTIVE;
    }

    @Override
    public Map<String, Long> counters() {
      return Map.of("joined", joined);
    }
  }

  private interface Verb {
    void run() throws Exception;
  }

  private interface Maker {
    AutoCloseable make();
  }

  private VerbsOutOfMemory() {
    device.attach(new JoiningPort(), Progress.NONE);
    context = EmulatedContext.open(device, () -> {});
    pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(4, null, channel, 0);
    srq = pd.createSrq(new SrqInitAttr(4, 1));
    rc = queuePair(QpType.RC, srq);
    ud = queuePair(QpType.UD, null);
  }

  /** The faults that were found. */
  public static List<String> complaints() throws Exception {
    new VerbsOutOfMemory().all(1); // loads and links all classes that it needs
    VerbsOutOfMemory test = new VerbsOutOfMemory();
    test.all(MANY);
    return test.complaints;
  }

  private QueuePair queuePair(QpType type, SharedReceiveQueue receives) {
    return pd.createQp(
        new QpInitAttr()
            .qpType(type)
            .cq(cq)
            .srq(receives)
            .cap(new QpCapabilities(4, receives == null ? 4 : 0, 1, receives == null ? 1 : 0)));
  }

  private static AhAttr to(String address) {
    return AhAttr.roce(Gid.parse(address), 0);
  }

  private void all(int allocations) throws Exception {
    makers(allocations);
    modifies(allocations);
    Gid group = Gid.parse("239.1.2.3");
    fails(allocations, "attach_mcast", () -> ud.attachMulticast(group));
    ud.detachMulticast(group);
    fails(allocations, "resize_cq", () -> cq.resize(64));
    posts(allocations);
    for (AutoCloseable each : List.of(rc, ud, srq, cq, channel, pd, context)) {
      each.close(); // refused while an object is counted as theirs
    }
  }

  private void makers(int allocations) throws Exception {
    maker(allocations, "open_device", () -> EmulatedContext.open(device, () -> {}));
    maker(allocations, "alloc_pd", context::allocPd);
    maker(allocations, "create_comp_channel", context::createCompletionChannel);
    maker(allocations, "create_cq", () -> context.createCq(4, null, channel, 0));
    maker(allocations, "create_cq_ex", () -> context.createCqEx(new CqInitAttr().cqe(4)));
    maker(allocations, "create_srq", () -> pd.createSrq(new SrqInitAttr(4, 1)));
    maker(allocations, "create_qp RC", () -> queuePair(QpType.RC, null));
    maker(allocations, "create_qp UD", () -> queuePair(QpType.UD, null));
    maker(
        allocations,
        "create_qp deaf to itself",
        () ->
            pd.createQp(
                new QpInitAttr()
                    .qpType(QpType.UD)
                    .cq(cq)
                    .createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB)
                    .cap(new QpCapabilities(1, 1, 1, 1, 0))));
    maker(allocations, "create_qp SRQ", () -> queuePair(QpType.RC, srq));
    maker(allocations, "reg_mr", () -> pd.registerMemory(memory, AccessFlags.LOCAL_WRITE));
    maker(allocations, "alloc_mw", () -> pd.allocMemoryWindow(MwType.TYPE_2));
    maker(allocations, "alloc_null_mr", pd::allocNullMr);
    maker(allocations, "alloc_dm", () -> context.allocDm(64, 3));
    maker(allocations, "alloc_td", context::allocTd);
    maker(
        allocations,
        "alloc_parent_domain",
        () -> context.allocParentDomain(new ParentDomainInitAttr(pd)));
    try (DeviceMemory dm = context.allocDm(64, 3)) {
      int rights = AccessFlags.ZERO_BASED;
      maker(allocations, "reg_dm_mr", () -> pd.registerDeviceMemory(dm, 0, 64, rights));
    }
    xrcMakers(allocations);
    maker(allocations, "create_ah", () -> pd.createAh(to("10.0.0.3")));
  }

  /** Queues grow with their requests. */
  private void posts(int allocations) {
    try (QueuePair qp =
            pd.createQp(
                new QpInitAttr()
                    .qpType(QpType.UC)
                    .cq(cq)
                    .sendOps(SendOpsFlags.WITH_SEND)
                    .cap(new QpCapabilities(REQUESTS, REQUESTS, 1, 1, 0)));
        SharedReceiveQueue shared = pd.createSrq(new SrqInitAttr(REQUESTS, 1));
        SendRequestList send = new SendRequestList(1, 1, 0);
        RecvRequestList receive = new RecvRequestList(1, 1)) {
      send.add().opcode(WrOpcode.SEND);
      receive.add();
      QpBringUp.toRts(qp, QpBringUp.attributes(to("10.0.0.2"), 77).pathMtu(Mtu.MTU_1024));
      WorkRequestBuilder built = qp.builder();
      for (int i = 0; i < REQUESTS - BATCH; i++) {
        fails(allocations, "post_recv", () -> check(qp.postRecv(receive)));
        fails(allocations, "post_srq_recv", () -> check(shared.postRecv(receive)));
        fails(allocations, "post_send", () -> check(qp.postSend(send)));
      }
      fails(
          allocations,
          "wr_complete",
          () -> {
            built.start();
            for (int i = 0; i < BATCH; i++) {
              built.send();
            }
            check(built.complete());
          });
    }
  }

  /** The device has no name for the words of a refused post. */
  private static void check(int errno) {
    if (errno != 0) {
      throw Errno.of(errno).refusal("refused");
    }
  }

  private void xrcMakers(int allocations) throws Exception {
    maker(allocations, "open_xrcd", () -> context.openXrcd(new XrcdInitAttr()));
    Path file = Files.createTempFile("roce4j", "xrcd");
    XrcdInitAttr named = new XrcdInitAttr(file, XrcdInitAttr.O_CREAT);
    maker(allocations, "open_xrcd of a file", () -> context.openXrcd(named));
    Files.delete(file);
    try (XrcDomain xrcd = context.openXrcd(new XrcdInitAttr())) {
      QpInitAttr target = new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd);
      maker(allocations, "create_qp XRC_RECV", () -> context.createQp(target));
      maker(
          allocations,
          "create_qp XRC_SEND",
          () -> pd.createQp(new QpInitAttr().qpType(QpType.XRC_SEND).cq(cq)));
      SrqInitAttrEx receives =
          new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(xrcd).cq(cq).maxWr(4).maxSge(1);
      maker(allocations, "create_srq_ex XRC", () -> context.createSrq(receives));
      try (QueuePair first = context.createQp(target)) {
        QpOpenAttr again = new QpOpenAttr(first.qpNum(), xrcd);
        maker(allocations, "open_qp", () -> context.openQp(again));
      }
    }
  }

  /** Creates more objects than small tables hold. */
  private void maker(int allocations, String name, Maker maker) throws Exception {
    Map<String, Long> before = Photograph.of(device);
    Deque<AutoCloseable> made = new ArrayDeque<>();
    int usual = 0;
    int several = name.equals("create_qp RC") || name.equals("reg_mr") ? 66 : 20;
    for (int i = 0; i < several; i++) {
      // The round has no more allocations than the one before: each has failed once.
      Allocations.failAfter(usual);
      if (usual == 0 || !works(() -> made.push(maker.make()))) {
        usual = fails(allocations, name, () -> made.push(maker.make()));
      }
    }
    for (AutoCloseable each : made) {
      each.close();
    }
    compare(name + ", closed", before);
  }

  private void modifies(int allocations) {
    QpAttr attr =
        QpBringUp.attributes(to("10.0.0.2"), 77)
            .pathMtu(Mtu.MTU_1024)
            .maxRdAtomic(16)
            .maxDestRdAtomic(16);
    for (QpState state : List.of(QpState.INIT, QpState.RTR, QpState.RTS)) {
      fails(allocations, "modify to " + state, () -> QpBringUp.to(state, rc, attr));
    }
    rc.modify(new QpAttr().qpState(QpState.SQD));
    QpAttr elsewhere = new QpAttr().qpState(QpState.SQD).ahAttr(to("10.0.0.4"));
    fails(
        allocations,
        "modify in SQD",
        () -> rc.modify(elsewhere.maxRdAtomic(64).maxDestRdAtomic(64)));
    fails(allocations, "modify to RESET", () -> rc.modify(new QpAttr().qpState(QpState.RESET)));
  }

  /**
   * Fails one allocation after the other until the verb succeeds; returns the number of its
   * allocations.
   */
  private int fails(int allocations, String name, Verb verb) {
    Map<String, Long> before = Photograph.of(device);
    Throwable last = null;
    for (int n = allocations == 1 ? MANY : 0; n <= MANY; n++) {
      Allocations.failAfter(n);
      Throwable thrown = thrownBy(verb);
      if (!Allocations.succeed()) {
        if (thrown != null) {
          throw new AssertionError(name + " with all the memory that it needs", thrown);
        }
        if (allocations > 1 && n > 0 && !isNoMemory(last)) {
          complaints.add(name + " says no ENOMEM but " + last);
        }
        return n;
      }
      if (!(thrown instanceof OutOfMemoryError) && !isNoMemory(thrown)) {
        complaints.add(name + ", allocation " + n + ": " + thrown);
      }
      last = thrown;
      compare(name + ", allocation " + n, before);
    }
    throw new AssertionError(name + " makes more than " + MANY + " objects");
  }

  private static boolean works(Verb verb) {
    Throwable thrown = thrownBy(verb);
    Allocations.succeed();
    return thrown == null;
  }

  private static Throwable thrownBy(Verb verb) {
    try {
      verb.run();
      return null;
    } catch (Exception | Error e) {
      return e;
    }
  }

  private static boolean isNoMemory(Throwable thrown) {
    return thrown instanceof VerbsException refused && refused.errno() == Errno.ENOMEM;
  }

  private void compare(String when, Map<String, Long> before) {
    Map<String, Long> after = Photograph.of(device);
    TreeSet<String> names = new TreeSet<>(before.keySet());
    names.addAll(after.keySet());
    names.removeAll(RESERVES);
    for (String each : names) {
      long was = before.getOrDefault(each, 0L);
      long is = after.getOrDefault(each, 0L);
      if (was != is) {
        complaints.add(when + ": " + each + " was " + was + ", is " + is);
      }
    }
  }
}
