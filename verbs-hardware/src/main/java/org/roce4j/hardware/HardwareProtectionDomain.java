package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.QueueStructures;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RegisterableMemory;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.Wrapper;

/** {@code struct ibv_pd}. */
final class HardwareProtectionDomain extends HardwareObject implements ProtectionDomain {
  /** {@code ibv_create_srq} ignores the limit, but some drivers would arm it. */
  private static final int NOT_ARMED = 0;

  private final boolean imported;

  /** Null: this is no parent domain. */
  private final HardwareProtectionDomain beneath;

  HardwareProtectionDomain(HardwareContext context, long address) {
    this(context, address, false, null);
  }

  /** A parent domain. */
  static HardwareProtectionDomain parent(HardwareProtectionDomain beneath, long address) {
    return new HardwareProtectionDomain(beneath.context, address, false, beneath);
  }

  /** A protection domain of another context, which outlives this object. */
  static HardwareProtectionDomain imported(HardwareContext context, long address) {
    return new HardwareProtectionDomain(context, address, true, null);
  }

  private HardwareProtectionDomain(
      HardwareContext context, long address, boolean imported, HardwareProtectionDomain beneath) {
    super(
        context,
        address,
        beneath == null ? Kind.PROTECTION_DOMAIN : Kind.PARENT_DOMAIN,
        ObjectStructures.pdHandle(address));
    this.imported = imported;
    this.beneath = beneath;
    ObjectStructures.checkPd(address, context.address());
  }

  @Override
  public ProtectionDomain beneath() {
    return beneath == null ? this : beneath;
  }

  @Override
  int destroy(Frame frame) {
    if (imported) {
      library.later().unimportPd(frame, address);
      return 0;
    }
    return library.deallocPd(frame, address);
  }

  private <T extends HardwareObject> T make(Function<Frame, T> maker) {
    return ask(frame -> context.track(maker.apply(frame)));
  }

  // ---- memory

  @Override
  public MemoryRegion registerMemory(MemorySegment memory, int accessFlags) {
    RequiredArgument.check(memory, "memory");
    boolean zeroBased = (accessFlags & AccessFlags.ZERO_BASED) != 0;
    return registerMemory(memory, zeroBased ? 0 : memory.address(), accessFlags);
  }

  @Override
  public MemoryRegion registerMemory(MemorySegment memory, long iova, int accessFlags) {
    RegisterableMemory.check(memory, accessFlags);
    return make(
        frame -> {
          long mr =
              library.regMr(frame, address, memory.address(), memory.byteSize(), iova, accessFlags);
          ObjectStructures.checkMr(mr, context.address(), address, memory);
          return new HardwareMemoryRegion(this, mr, memory, iova, accessFlags);
        });
  }

  @Override
  public MemoryRegion registerDeviceMemory(
      DeviceMemory deviceMemory, long offset, long length, int accessFlags) {
    RequiredArgument.check(deviceMemory, "deviceMemory");
    if (!(Wrapper.innermost(deviceMemory) instanceof HardwareDeviceMemory own
        && own.context == context)) {
      throw RequiredArgument.foreign(deviceMemory, "deviceMemory");
    }
    RegisterableMemory.checkAccess(accessFlags);
    HardwareMemoryRegion region =
        own.inside(
            () ->
                make(
                    frame ->
                        other(
                            context
                                .memory()
                                .regDmMr(frame, address, own.address, offset, length, accessFlags),
                            new HardwareMemoryRegion.Extent(length, 0),
                            accessFlags)));
    region.alsoMadeWith(own);
    return region;
  }

  @Override
  public MemoryRegion allocNullMr() {
    return make(
        frame ->
            other(
                context.memory().allocNullMr(frame, address),
                new HardwareMemoryRegion.Extent(Long.MAX_VALUE, 0),
                AccessFlags.LOCAL_WRITE));
  }

  @Override
  public MemoryRegion registerDmabuf(long offset, long length, long iova, int fd, int accessFlags) {
    RegisterableMemory.checkAccess(accessFlags);
    return make(
        frame ->
            other(
                library.later().regDmabufMr(frame, address, offset, length, iova, fd, accessFlags),
                new HardwareMemoryRegion.Extent(length, iova),
                accessFlags));
  }

  @Override
  public MemoryRegion importMr(int mrHandle) {
    return make(
        frame ->
            HardwareMemoryRegion.imported(
                this, library.later().importMr(frame, address, mrHandle)));
  }

  /** A region of memory that is not the program's. */
  private HardwareMemoryRegion other(long mr, HardwareMemoryRegion.Extent extent, int access) {
    ObjectStructures.checkMr(mr, context.address());
    return HardwareMemoryRegion.of(this, mr, extent, access);
  }

  @Override
  public void adviseMr(Advice advice, int flags, List<Sge> pieces) {
    RequiredArgument.check(advice, "advice");
    RequiredArgument.check(pieces, "pieces");
    pieces.forEach(each -> RequiredArgument.check(each, "pieces"));
    call(frame -> context.memory().adviseMr(frame, address, advice.value(), flags, pieces));
  }

  @Override
  public MemoryWindow allocMemoryWindow(MwType type) {
    RequiredArgument.check(type, "type");
    return make(
        frame -> {
          long mw = context.dataPath().allocMw(frame, address, type.value());
          ObjectStructures.checkMw(mw, context.address(), address, type.value());
          return new HardwareMemoryWindow(this, mw, type);
        });
  }

  // ---- queues

  @Override
  public QueuePair createQp(QpInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    RequiredArgument.check(attr.cap(), "cap");
    refuseTarget(RequiredArgument.check(attr.qpType(), "qp_type"));
    requireNotDestroyed();
    HardwareCompletionQueue sendCq = own(attr.sendCq(), "send_cq");
    boolean initiates = attr.qpType() == QpType.XRC_SEND;
    if (initiates && attr.srq() != null) {
      throw Errno.EINVAL.refusal("an XRC_SEND queue pair receives nothing: no srq");
    }
    HardwareCompletionQueue recvCq = initiates ? null : own(attr.recvCq(), "recv_cq");
    HardwareSharedReceiveQueue srq = own(attr.srq());
    Supplier<QueuePair> create = () -> createQp(attr, sendCq, recvCq, srq);
    Supplier<QueuePair> withSrq = srq == null ? create : () -> srq.inside(create);
    return sendCq.inside(recvCq == null ? withSrq : () -> recvCq.inside(withSrq));
  }

  /** An XRC_RECV queue pair is of an XRC domain. */
  private static void refuseTarget(QpType type) {
    if (type == QpType.XRC_RECV) {
      throw Errno.EINVAL.refusal(
          "an XRC_RECV queue pair is of an XRC domain, not of a protection domain: make it by"
              + " Context.createQp, with xrcd");
    }
  }

  private HardwareQueuePair createQp(
      QpInitAttr attr,
      HardwareCompletionQueue sendCq,
      HardwareCompletionQueue recvCq,
      HardwareSharedReceiveQueue srq) {
    long srqAddress = srq == null ? 0 : srq.address;
    long recvCqAddress = recvCq == null ? 0 : recvCq.address;
    return make(
        frame -> {
          MemorySegment asked =
              QueueStructures.queuePair(
                  frame, attr, address, sendCq.address, recvCqAddress, srqAddress);
          long qp =
              attr.createFlags() == 0 && attr.sendOps() == 0
                  ? library.createQp(frame, address, asked)
                  : context.extensions().createQp(frame, asked);
          ObjectStructures.checkQp(
              qp,
              context.address(),
              address,
              sendCq.address,
              recvCqAddress,
              srqAddress,
              attr.qpType().value());
          QpInitAttr created = attr.copy().pd(this).recvCq(recvCq);
          return new HardwareQueuePair(context, qp, created.cap(QueueStructures.granted(asked)));
        });
  }

  private HardwareCompletionQueue own(CompletionQueue cq, String name) {
    if (cq instanceof HardwareCompletionQueue own && own.context == context) {
      return own;
    }
    throw RequiredArgument.foreign(cq, name);
  }

  private HardwareSharedReceiveQueue own(SharedReceiveQueue srq) {
    if (srq == null) {
      return null;
    }
    if (srq instanceof HardwareSharedReceiveQueue own && own.context == context) {
      return own;
    }
    throw RequiredArgument.foreign(srq, "srq");
  }

  @Override
  public SharedReceiveQueue createSrq(SrqInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    return make(
        frame -> {
          SrqAttr sizes = new SrqAttr(attr.maxWr(), attr.maxSge(), NOT_ARMED);
          long srq =
              library.createSrq(frame, address, QueueStructures.sharedReceiveQueue(frame, sizes));
          ObjectStructures.checkSrq(srq, context.address(), address);
          return new HardwareSharedReceiveQueue(this, srq, attr.userContext());
        });
  }

  // ---- addresses

  @Override
  public AddressHandle createAh(AhAttr attr) {
    RequiredArgument.check(attr, "attr");
    return make(
        frame -> {
          long ah = library.createAh(frame, address, QueueStructures.addressVector(frame, attr));
          ObjectStructures.checkAh(ah, context.address(), address);
          return new HardwareAddressHandle(this, ah, attr);
        });
  }
}
