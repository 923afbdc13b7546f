package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.roce4j.hardware.bindings.DataPath;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.QueueStructures;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.hardware.bindings.Structures.IbvQpAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.verbs.CreatedQueuePair;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpTransitions;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WindowBinding;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.Wrapper;

/** {@code struct ibv_qp}. */
final class HardwareQueuePair extends HardwareObject implements CreatedQueuePair {
  /** Every attribute up to the peer's number. */
  private static final int ALL = (QpAttrMask.DEST_QPN << 1) - 1;

  private static final long DESTROYED = PostResult.of(Errno.EINVAL, 0);

  /** A queue that a queue pair of XRC lacks takes nothing. */
  private static final long NO_QUEUE = DESTROYED;

  private final QpInitAttr created;
  private final int qpNum;
  private final QpType qpType;
  private final DataPath dataPath;
  private final HardwareWorkRequestBuilder builder;

  /**
   * @param created the attributes of its creation
   */
  HardwareQueuePair(HardwareContext context, long address, QpInitAttr created) {
    super(context, address, Kind.QUEUE_PAIR, ObjectStructures.qpHandle(address));
    this.created = created;
    this.qpNum = ObjectStructures.qpNum(address);
    this.qpType = created.qpType();
    this.dataPath = context.dataPath();
    builder = created.sendOps() == 0 ? null : builder(created.sendOps());
  }

  private HardwareWorkRequestBuilder builder(long operations) {
    try (Frame frame = new Frame()) {
      long extended = library.later().qpToQpEx(frame, address);
      return extended == 0 ? null : new HardwareWorkRequestBuilder(this, extended, operations);
    }
  }

  @Override
  public WorkRequestBuilder builder() {
    requireNotDestroyed();
    return builder == null ? CreatedQueuePair.super.builder() : builder;
  }

  /** An XRC_RECV queue pair, which has no queues of its own. */
  static HardwareQueuePair target(
      HardwareContext context, long address, HardwareXrcDomain xrcd, Object userContext) {
    ObjectStructures.checkTarget(address, context.address());
    return new HardwareQueuePair(
        context,
        address,
        new QpInitAttr()
            .qpType(QpType.XRC_RECV)
            .xrcd(xrcd)
            .userContext(userContext)
            .cap(new QpCapabilities(0, 0, 0, 0, 0)));
  }

  @Override
  int destroy(Frame frame) {
    return library.destroyQp(frame, address);
  }

  @Override
  public QpInitAttr created() {
    return created;
  }

  @Override
  public int qpNum() {
    return qpNum;
  }

  // ---- attributes

  @Override
  public QpState state() {
    // The field in the structure is the last requested state and does not show a later error.
    return queried(QpAttrMask.STATE, QueueStructures::state);
  }

  @Override
  public void modifyRateLimit(QpRateLimitAttr attr) {
    RequiredArgument.check(attr, "attr");
    call(frame -> context.extensions().modifyQpRateLimit(frame, address, attr));
  }

  @Override
  public boolean queryDataInOrder(WrOpcode opcode, int flags) {
    RequiredArgument.check(opcode, "opcode");
    return ask(frame -> library.later().queryQpDataInOrder(frame, address, opcode.value(), flags));
  }

  @Override
  public Ece queryEce() {
    return ask(frame -> library.later().queryEce(frame, address));
  }

  @Override
  public void setEce(Ece ece) {
    RequiredArgument.check(ece, "ece");
    call(frame -> library.later().setEce(frame, address, ece));
  }

  @Override
  public QpAttr query() {
    return queried(ALL, QueueStructures::attributes);
  }

  private <T> T queried(int mask, Function<MemorySegment, T> read) {
    return ask(
        frame -> {
          MemorySegment attr = frame.structure(IbvQpAttr.SIZE);
          library.queryQp(frame, address, attr, mask, frame.structure(IbvQpInitAttr.SIZE));
          return read.apply(attr);
        });
  }

  @Override
  public void modify(QpAttr attr, int mask) {
    checkGiven(RequiredArgument.check(attr, "attr"), mask);
    call(frame -> modify(frame, QueueStructures.attributes(frame, attr), attr, mask));
  }

  private void modify(Frame frame, MemorySegment structure, QpAttr attr, int mask) {
    try {
      library.modifyQp(frame, address, structure, mask);
    } catch (VerbsException e) {
      throw explained(e, attr, mask);
    }
  }

  /** The kernel says EINVAL to every wrong transition; the table of transitions says which. */
  private VerbsException explained(VerbsException refused, QpAttr attr, int mask) {
    if (refused.errno() != Errno.EINVAL) {
      return refused;
    }
    QpState current = state();
    QpState next = (mask & QpAttrMask.STATE) != 0 ? attr.qpState() : current;
    String illegal = QpTransitions.whyIllegal(qpType, current, next, mask);
    return illegal == null ? refused : new VerbsException(Errno.EINVAL, illegal, refused);
  }

  /** An attribute that is null would be a 0 in C, which means something. */
  private static void checkGiven(QpAttr attr, int mask) {
    checkGiven(attr.qpState(), "qp_state", mask, QpAttrMask.STATE);
    checkGiven(attr.curQpState(), "cur_qp_state", mask, QpAttrMask.CUR_STATE);
    checkGiven(attr.pathMtu(), "path_mtu", mask, QpAttrMask.PATH_MTU);
    checkGiven(attr.pathMigState(), "path_mig_state", mask, QpAttrMask.PATH_MIG_STATE);
    checkGiven(attr.cap(), "cap", mask, QpAttrMask.CAP);
    checkGiven(attr.ahAttr(), "ah_attr", mask, QpAttrMask.AV);
    checkGiven(attr.altAhAttr(), "alt_ah_attr", mask, QpAttrMask.ALT_PATH);
  }

  private static void checkGiven(Object value, String name, int mask, int bit) {
    if ((mask & bit) != 0) {
      RequiredArgument.check(value, name);
    }
  }

  // ---- posting

  @Override
  public long postSend(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    if (!gate.enter()) {
      return DESTROYED;
    }
    try {
      // A driver may look for a queue that is not there.
      return qpType == QpType.XRC_RECV ? NO_QUEUE : dataPath.postSend(address, view, firstWr);
    } finally {
      gate.leave();
    }
  }

  @Override
  public long postRecv(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    if (!gate.enter()) {
      return DESTROYED;
    }
    try {
      return qpType == QpType.XRC_RECV || qpType == QpType.XRC_SEND
          ? NO_QUEUE
          : dataPath.postRecv(address, view, firstWr);
    } finally {
      gate.leave();
    }
  }

  @Override
  public void bindMemoryWindow(
      MemoryWindow given,
      long wrId,
      int sendFlags,
      MemoryRegion givenRegion,
      long from,
      long length,
      int accessFlags) {
    MemoryWindow window = Wrapper.innermost(RequiredArgument.check(given, "window"));
    MemoryRegion region = givenRegion == null ? null : Wrapper.innermost(givenRegion);
    requireNotDestroyed();
    if (!(window instanceof HardwareMemoryWindow mw)
        || mw.context != context
        || mw.type() != MwType.TYPE_1) {
      throw Errno.EINVAL.refusal(
          "bind_mw takes a type 1 window of this context, not %s of %s; post BIND_MW for type"
              + " 2",
          window.type(), window);
    }
    refuseTarget();
    WindowBinding.check(window, this, region, from, length, accessFlags);
    if (region == null && context.isSoftRoce()) {
      // The driver in rdma-core 44 reads the key of the missing region, which ends the process.
      throw Errno.EOPNOTSUPP.refusal(
          "soft-RoCE's driver cannot unbind a window: deallocate it, or bind it to something else");
    }
    LongFunction<Integer> bind =
        mr -> {
          try (Frame frame = new Frame()) {
            return dataPath.bindMw(
                frame, address, mw.address, wrId, sendFlags, mr, from, length, accessFlags);
          }
        };
    int errno =
        inside(
            () ->
                mw.inside(
                    () ->
                        region instanceof HardwareMemoryRegion mr
                            ? mr.inside(() -> bind.apply(mr.address))
                            : bind.apply(0)));
    if (errno != 0) {
      throw Refusal.of("ibv_bind_mw", errno);
    }
  }

  private void refuseTarget() {
    if (qpType == QpType.XRC_RECV) {
      throw Errno.EINVAL.refusal(
          "an XRC_RECV queue pair sends nothing: bind on an XRC_SEND queue pair");
    }
  }

  @Override
  public String toString() {
    return describe();
  }

  // ---- multicast

  @Override
  public void attachMulticast(Gid group) {
    RequiredArgument.check(group, "group");
    requireNotDestroyed();
    if (qpType != QpType.UD) {
      throw Errno.EINVAL.refusal("only UD queue pairs can join a multicast group");
    }
    if (!group.isMulticast()) {
      throw new VerbsException(Errno.EINVAL, group + " is not a multicast address");
    }
    multicast(group, (frame, gid) -> library.attachMcast(frame, address, gid));
  }

  @Override
  public void detachMulticast(Gid group) {
    RequiredArgument.check(group, "group");
    multicast(group, (frame, gid) -> library.detachMcast(frame, address, gid));
  }

  private void multicast(Gid group, BiConsumer<Frame, MemorySegment> verb) {
    call(frame -> verb.accept(frame, QueueStructures.gid(frame, group)));
  }
}
