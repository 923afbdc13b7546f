package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.engine.Limit;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.memory.Region;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RegisterableMemory;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.VerbsException;

/** A protection domain: the verbs that create its members. */
sealed class EmulatedProtectionDomain extends EmulatedDomain permits EmulatedParentDomain {
  private static final long PAGE_OFFSET = 4095;

  /**
   * The rights of device memory: {@code MLX5_DM_ALLOWED_ACCESS} of rdma-core's {@code
   * providers/mlx5/verbs.c}, which answers EINVAL to any other. So does the kernel if the region is
   * not zero-based ({@code UVERBS_METHOD_DM_MR_REG} in {@code uverbs_std_types_mr.c}).
   */
  private static final int DEVICE_MEMORY =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.ZERO_BASED
          | AccessFlags.OPTIONAL_RANGE;

  EmulatedProtectionDomain(ContextObjects objects) {
    this(objects, ObjectKind.PROTECTION_DOMAIN, new Domain());
  }

  EmulatedProtectionDomain(ContextObjects objects, ObjectKind kind, Domain domain) {
    super(objects, kind, domain);
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
      throw Errno.EINVAL.refusal(
          "iova 0x%x and address 0x%x must agree in their lowest 12 bits (offset in a page)",
          iova, memory.address());
    }
    return register(memory, iova, accessFlags);
  }

  private MemoryRegion register(MemorySegment memory, long iova, int accessFlags) {
    RegisterableMemory.check(memory, accessFlags);
    if (memory.address() == 0) {
      throw new VerbsException(
          (accessFlags & AccessFlags.ON_DEMAND) != 0 ? Errno.EOPNOTSUPP : Errno.EFAULT,
          "the memory begins at address 0: register a piece of it, not the whole address space");
    }
    if (memory.byteSize() == 0) {
      throw Errno.EINVAL.refusal("a memory region must have at least one byte");
    }
    return create(() -> EmulatedMemoryRegion.of(this, memory, iova, accessFlags));
  }

  @Override
  public MemoryRegion registerDeviceMemory(
      DeviceMemory deviceMemory, long offset, long length, int accessFlags) {
    EmulatedDeviceMemory of =
        EmulatedDeviceMemory.check(
            objects, RequiredArgument.check(deviceMemory, "deviceMemory"), offset, length);
    RegisterableMemory.checkAccess(accessFlags);
    if ((accessFlags & AccessFlags.ZERO_BASED) == 0) {
      throw Errno.EINVAL.refusal("addresses of device memory count from 0: add ZERO_BASED");
    }
    int others = accessFlags & ~DEVICE_MEMORY;
    if (others != 0) {
      throw new VerbsException(
          Errno.EINVAL,
          "device memory has no pages and no windows: leave out " + AccessFlags.toString(others));
    }
    return create(() -> EmulatedMemoryRegion.of(this, of, offset, length, accessFlags));
  }

  @Override
  public MemoryRegion allocNullMr() {
    return create(() -> EmulatedMemoryRegion.ofNothing(this));
  }

  @Override
  public void adviseMr(Advice advice, int flags, List<Sge> pieces) {
    RequiredArgument.check(advice, "advice");
    RequiredArgument.check(pieces, "pieces");
    RequiredArgument.checkRange(flags, 0, Advice.FLUSH, "flags");
    if (pieces.isEmpty()) {
      throw Errno.EINVAL.refusal("pieces is empty: name one at least");
    }
    Accessor asking = new Accessor(domain);
    device
        .progress()
        .exclusively(
            () -> {
              requireOpen();
              pieces.forEach(piece -> advise(asking, advice, piece));
            });
  }

  private void advise(Accessor asking, Advice advice, Sge piece) {
    RequiredArgument.check(piece, "pieces");
    int right = advice == Advice.PREFETCH_WRITE ? AccessFlags.LOCAL_WRITE : 0;
    long bytes = Integer.toUnsignedLong(piece.length());
    if (!(device.keys().find(piece.lkey()) instanceof Region region)
        || region.locate(piece.address(), bytes, right, asking) < 0) {
      throw Errno.EFAULT.refusal(
          "lkey 0x%x gives no access to %d bytes at 0x%x%s",
          piece.lkey(), bytes, piece.address(), right == 0 ? "" : " for writing");
    }
    if ((region.access() & AccessFlags.ON_DEMAND) == 0) {
      throw Errno.EINVAL.refusal(
          "the region of lkey 0x%x is not paged on demand: nothing is to be advised", piece.lkey());
    }
    long offset = piece.address() - region.iova();
    if (advice != Advice.PREFETCH_NO_FAULT && !KeyTable.touch(region, offset, bytes)) {
      throw Errno.EFAULT.refusal("the memory of lkey 0x%x is gone", piece.lkey());
    }
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
    RequiredArgument.checkRange(attr.maxWr(), 1, device.limit(Limit.MAX_SRQ_WR), "max_wr");
    RequiredArgument.checkRange(attr.maxSge(), 0, device.limit(Limit.MAX_SRQ_SGE), "max_sge");
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
