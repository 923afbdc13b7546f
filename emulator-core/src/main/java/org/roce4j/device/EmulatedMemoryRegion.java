package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.Limit;
import org.roce4j.engine.memory.Region;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RegisterableMemory;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.ReregistrationException;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.text.Wording;

final class EmulatedMemoryRegion extends EmulatedObject implements MemoryRegion {
  private EmulatedDomain pd;
  private MemorySegment memory;
  private final Kind kind;
  private final long iova;
  private final int accessFlags;

  /** Set by {@link #enter}. */
  private Region region;

  private EmulatedMemoryRegion(
      EmulatedDomain pd, Kind kind, MemorySegment memory, long iova, int accessFlags) {
    super(pd.objects, ObjectKind.MEMORY_REGION);
    this.pd = pd;
    this.kind = kind;
    this.memory = memory;
    this.iova = iova;
    this.accessFlags = accessFlags;
  }

  /** A region over the program's memory. */
  static EmulatedMemoryRegion of(
      EmulatedDomain pd, MemorySegment memory, long iova, int accessFlags) {
    return new EmulatedMemoryRegion(pd, new OfProgram(), memory, iova, accessFlags);
  }

  /** A region over device memory. */
  static EmulatedMemoryRegion of(
      EmulatedDomain pd, EmulatedDeviceMemory from, long offset, long length, int accessFlags) {
    Kind kind = new OfDevice(from, offset, length);
    return new EmulatedMemoryRegion(pd, kind, MemorySegment.NULL, 0, accessFlags);
  }

  /** A region over no memory ({@code ibv_alloc_null_mr}). */
  static EmulatedMemoryRegion ofNothing(EmulatedDomain pd) {
    return new EmulatedMemoryRegion(
        pd, new OfNothing(), MemorySegment.NULL, 0, AccessFlags.LOCAL_WRITE);
  }

  /** The kind of memory that a region covers. */
  private sealed interface Kind {}

  private record OfProgram() implements Kind {}

  private record OfDevice(EmulatedDeviceMemory from, long offset, long length) implements Kind {}

  private record OfNothing() implements Kind {}

  @Override
  void enter() {
    region =
        switch (kind) {
          case OfProgram _ -> device.keys().register(pd.domain, memory, iova, accessFlags);
          case OfDevice(EmulatedDeviceMemory from, long offset, long length) ->
              register(from, offset, length);
          case OfNothing _ -> device.keys().registerNothing(pd.domain);
        };
    if (region == null) {
      throw ObjectCounts.reached(Limit.MAX_MR, device.limit(Limit.MAX_MR));
    }
    pd.domain.joined();
  }

  private Region register(EmulatedDeviceMemory from, long offset, long length) {
    MemorySegment part = from.join(offset, length);
    Region made = null;
    try {
      made = device.keys().register(pd.domain, part, 0, accessFlags);
    } finally {
      if (made == null) {
        from.left();
      }
    }
    return made;
  }

  Region region() {
    return region;
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
    return region.length();
  }

  @Override
  public long iova() {
    return region.iova();
  }

  @Override
  public int accessFlags() {
    return region.access();
  }

  @Override
  public int lkey() {
    return region.value();
  }

  @Override
  public int rkey() {
    return kind instanceof OfNothing ? 0 : region.value();
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

  private void change(MemorySegment newMemory, ProtectionDomain newPd, int newAccessFlags) {
    if (newMemory == null && newPd == null && newAccessFlags == -1) {
      throw Errno.EINVAL.refusal("nothing to change: give a protection domain or access flags");
    }
    if (!(kind instanceof OfProgram)) {
      throw Errno.EINVAL.refusal(
          "a region without memory of the program is not registered again: make one");
    }
    int access =
        newMemory == null
            ? RegisterableMemory.changedAccess(memory, region.access(), newAccessFlags)
            : RegisterableMemory.movedAccess(newMemory, region.access(), newAccessFlags);
    if (newPd != null && !(newPd instanceof EmulatedDomain other && other.objects == objects)) {
      throw RequiredArgument.foreign(newPd, "pd");
    }
    whileOpen(
        () -> {
          checkDestroyable();
          if (newPd instanceof EmulatedDomain target) {
            target.requireOpen();
            pd.domain.left();
            target.domain.joined();
            pd = target;
          }
          region.reregister(pd.domain, access);
          if (newMemory != null) {
            memory = newMemory;
            region.move(newMemory, newMemory.address());
          }
        });
  }

  @Override
  boolean uses(EmulatedObject other) {
    return super.uses(other) || kind instanceof OfDevice part && part.from == other;
  }

  @Override
  boolean isUsed() {
    return region.hasWindows();
  }

  @Override
  public String toString() {
    return Wording.of(
        "%s: %d bytes at 0x%x, %s",
        super.toString(), length(), iova(), AccessFlags.toString(accessFlags()));
  }

  @Override
  void destroy() {
    checkDestroyable();
    device.keys().remove(region);
    pd.domain.left();
    if (kind instanceof OfDevice(EmulatedDeviceMemory from, _, _)) {
      from.left();
    }
  }
}
