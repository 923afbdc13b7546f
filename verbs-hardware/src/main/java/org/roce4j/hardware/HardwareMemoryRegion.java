package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RegisterableMemory;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.ReregError;
import org.roce4j.verbs.ReregistrationException;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_mr}. */
final class HardwareMemoryRegion extends HardwareObject implements MemoryRegion {
  private static final int CHANGE_TRANSLATION = 1 << 0;
  private static final int CHANGE_PD = 1 << 1;
  private static final int CHANGE_ACCESS = 1 << 2;

  private volatile MemorySegment memory;
  private volatile long iova;
  private volatile HardwareProtectionDomain pd;
  private volatile int accessFlags;
  private volatile int lkey;
  private volatile int rkey;

  private final Extent extent;
  private final boolean imported;

  /** How far a region goes whose memory is not the program's. */
  record Extent(long length, long iova) {}

  HardwareMemoryRegion(
      HardwareProtectionDomain pd, long address, MemorySegment memory, long iova, int accessFlags) {
    this(pd, address, memory, iova, accessFlags, null, false);
  }

  /** A region of memory that is not the program's. */
  static HardwareMemoryRegion of(
      HardwareProtectionDomain pd, long address, Extent extent, int accessFlags) {
    return new HardwareMemoryRegion(
        pd, address, MemorySegment.NULL, extent.iova, accessFlags, extent, false);
  }

  /** A region of another context, which outlives this object. */
  static HardwareMemoryRegion imported(HardwareProtectionDomain pd, long address) {
    return new HardwareMemoryRegion(pd, address, MemorySegment.NULL, 0, 0, new Extent(0, 0), true);
  }

  private HardwareMemoryRegion(
      HardwareProtectionDomain pd,
      long address,
      MemorySegment memory,
      long iova,
      int accessFlags,
      Extent extent,
      boolean imported) {
    super(pd.context, address, Kind.MEMORY_REGION, ObjectStructures.mrHandle(address));
    this.extent = extent;
    this.imported = imported;
    this.pd = pd;
    this.memory = memory;
    this.iova = iova;
    this.accessFlags = accessFlags;
    readKeys();
  }

  private void readKeys() {
    lkey = ObjectStructures.lkey(address);
    rkey = ObjectStructures.rkey(address);
  }

  @Override
  int destroy(Frame frame) {
    if (imported) {
      library.later().unimportMr(frame, address);
      return 0;
    }
    return library.deregMr(frame, address);
  }

  @Override
  public String toString() {
    return Wording.of(
        "%s: %d bytes at 0x%x, %s",
        super.toString(), length(), iova, AccessFlags.toString(accessFlags));
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long length() {
    return extent == null ? memory.byteSize() : extent.length();
  }

  @Override
  public long iova() {
    return iova;
  }

  @Override
  public int accessFlags() {
    return accessFlags;
  }

  @Override
  public int lkey() {
    return lkey;
  }

  @Override
  public int rkey() {
    return rkey;
  }

  @Override
  public void reregister(ProtectionDomain newPd, int newAccessFlags) {
    ReregistrationException.input(() -> change(null, Wrapper.innermost(newPd), newAccessFlags));
  }

  @Override
  public void reregister(MemorySegment newMemory, ProtectionDomain newPd, int newAccessFlags) {
    RequiredArgument.check(newMemory, "memory");
    ReregistrationException.input(
        () -> change(newMemory, Wrapper.innermost(newPd), newAccessFlags));
  }

  private synchronized void change(
      MemorySegment newMemory, ProtectionDomain newPd, int newAccessFlags) {
    int flags =
        (newMemory == null ? 0 : CHANGE_TRANSLATION)
            | (newPd == null ? 0 : CHANGE_PD)
            | (newAccessFlags == -1 ? 0 : CHANGE_ACCESS);
    if (flags == 0) {
      throw Errno.EINVAL.refusal("nothing to change: give a protection domain or access flags");
    }
    if (extent != null) {
      throw Errno.EINVAL.refusal(
          "a region without memory of the program is not registered again: make one");
    }
    int access =
        newMemory == null
            ? RegisterableMemory.changedAccess(memory, accessFlags, newAccessFlags)
            : RegisterableMemory.movedAccess(newMemory, accessFlags, newAccessFlags);
    if (newPd == null) {
      change(pd, flags, newMemory, access);
      return;
    }
    if (!(newPd instanceof HardwareProtectionDomain own && own.context == context)) {
      throw RequiredArgument.foreign(newPd, "pd");
    }
    own.inside(
        () -> {
          change(own, flags, newMemory, access);
          return null;
        });
  }

  private void change(
      HardwareProtectionDomain target, int flags, MemorySegment newMemory, int access) {
    enter();
    try (Frame frame = new Frame()) {
      // The library refuses changes that its flags do not announce.
      long newPd = (flags & CHANGE_PD) != 0 ? target.address : 0;
      int newAccess = (flags & CHANGE_ACCESS) != 0 ? access : 0;
      library.reregMr(frame, address, flags, newPd, newMemory, newAccess);
      changed(target, newMemory, access);
    } catch (ReregistrationException e) {
      if (e.error().valid() == ReregError.Valid.NEW) {
        changed(target, newMemory, access);
      }
      throw e;
    } finally {
      gate.leave();
    }
  }

  private void changed(HardwareProtectionDomain target, MemorySegment newMemory, int access) {
    readKeys();
    if (newMemory != null) {
      memory = newMemory;
      iova = newMemory.address();
    }
    pd = target;
    accessFlags = access;
  }
}
