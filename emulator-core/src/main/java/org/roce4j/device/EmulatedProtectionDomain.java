package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.roce4j.engine.Limit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RegisterableMemory;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.VerbsException;

/** A protection domain: the verbs that create its members. */
final class EmulatedProtectionDomain extends EmulatedDomain {
  private static final long PAGE_OFFSET = 4095;

  EmulatedProtectionDomain(ContextObjects objects) {
    super(objects);
  }

  @Override
  public MemoryRegion registerMemory(MemorySegment memory, int accessFlags) {
    RequiredArgument.check(memory, "memory");
    return register(
        memory, (accessFlags & AccessFlags.ZERO_BASED) != 0 ? 0 : memory.address(), accessFlags);
  }

  @Override
  public MemoryRegion registerMemory(MemorySegment memory, long iova, int accessFlags) {
    RequiredArgument.check(memory, "memory");
    if (((memory.address() ^ iova) & PAGE_OFFSET) != 0) {
      throw new VerbsException(
          Errno.EINVAL, "iova and address must agree in their lowest 12 bits (offset in a page)");
    }
    return register(memory, iova, accessFlags);
  }

  private MemoryRegion register(MemorySegment memory, long iova, int accessFlags) {
    RegisterableMemory.refuseOnDemand(accessFlags);
    RegisterableMemory.check(memory, accessFlags);
    if (memory.byteSize() == 0) {
      throw new VerbsException(Errno.EINVAL, "a memory region must have at least one byte");
    }
    return create(() -> new EmulatedMemoryRegion(this, memory, iova, accessFlags));
  }

  @Override
  public MemoryWindow allocMemoryWindow(MwType type) {
    RequiredArgument.check(type, "type");
    return create(() -> new EmulatedMemoryWindow(this, type));
  }

  @Override
  public QueuePair createQp(QpInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    RequiredArgument.check(attr.cap(), "cap");
    return create(() -> EmulatedQueuePair.create(this, attr));
  }

  @Override
  public SharedReceiveQueue createSrq(SrqInitAttr attr) {
    checkSrq(RequiredArgument.check(attr, "attr"));
    return create(() -> new EmulatedSharedReceiveQueue(this, attr));
  }

  /** {@code ibv_create_srq_ex} of type XRC. */
  SharedReceiveQueue createXrcSrq(SrqInitAttrEx attr) {
    checkSrq(attr.basic());
    return create(
        () -> {
          EmulatedXrcDomain.check(objects, attr.xrcd());
          new QueuePairChecks(objects).checkCq(attr.cq(), "cq");
          return new EmulatedXrcReceiveQueue(attr);
        });
  }

  private void checkSrq(SrqInitAttr attr) {
    if (attr.maxWr() < 1
        || attr.maxWr() > device.limit(Limit.MAX_SRQ_WR)
        || attr.maxSge() < 0
        || attr.maxSge() > device.limit(Limit.MAX_SRQ_SGE)) {
      throw new VerbsException(
          Errno.EINVAL,
          "a shared receive queue takes max_wr 1 to %d, max_sge 0 to %d"
              .formatted(device.limit(Limit.MAX_SRQ_WR), device.limit(Limit.MAX_SRQ_SGE)));
    }
  }

  @Override
  public AddressHandle createAh(AhAttr attr) {
    RequiredArgument.check(attr, "attr");
    return create(() -> EmulatedAddressHandle.create(this, attr));
  }

  private <T extends EmulatedObject> T create(Supplier<T> maker) {
    return objects.create(
        () -> {
          requireOpen();
          return maker.get();
        });
  }
}
