package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RegisterableMemory;
import org.roce4j.verbs.VerbsException;

/** {@code struct ibv_mr}. */
final class HardwareMemoryRegion extends HardwareObject implements MemoryRegion {
  private static final int CHANGE_PD = 1 << 1;
  private static final int CHANGE_ACCESS = 1 << 2;

  private final MemorySegment memory;
  private final long iova;
  private volatile HardwareProtectionDomain pd;
  private volatile int accessFlags;
  private volatile int lkey;
  private volatile int rkey;

  HardwareMemoryRegion(
      HardwareProtectionDomain pd, long address, MemorySegment memory, long iova, int accessFlags) {
    super(pd.context, address, "memory region", ObjectStructures.mrHandle(address));
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
  String destroyer() {
    return "ibv_dereg_mr";
  }

  @Override
  int destroy(Frame frame) {
    return library.deregMr(frame, address);
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
  public long address() {
    return memory.address();
  }

  @Override
  public long length() {
    return memory.byteSize();
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
  public synchronized void reregister(ProtectionDomain newPd, int newAccessFlags) {
    if (newPd == null && newAccessFlags == -1) {
      throw new VerbsException(
          Errno.EINVAL, "nothing to change: give a protection domain or access flags");
    }
    int access = RegisterableMemory.changedAccess(memory, accessFlags, newAccessFlags);
    if (newPd == null) {
      change(pd, CHANGE_ACCESS, access);
      return;
    }
    if (!(newPd instanceof HardwareProtectionDomain own && own.context == context)) {
      throw new VerbsException(Errno.EINVAL, "the protection domain is of another context");
    }
    own.inside(
        () -> {
          change(own, newAccessFlags == -1 ? CHANGE_PD : CHANGE_PD | CHANGE_ACCESS, access);
          return null;
        });
  }

  private void change(HardwareProtectionDomain target, int flags, int access) {
    enter();
    try (Frame frame = new Frame()) {
      boolean moves = (flags & CHANGE_PD) != 0;
      library.reregMr(frame, address, flags, moves ? target.address : 0, access);
      readKeys();
    } finally {
      gate.leave();
    }
    pd = target;
    accessFlags = access;
  }
}
