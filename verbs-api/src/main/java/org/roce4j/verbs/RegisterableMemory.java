package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * What memory and which rights can be registered ({@code ibv_reg_mr}); the same for every device,
 * so that a program meets the same refusals everywhere.
 */
public final class RegisterableMemory {
  private static final int KNOWN =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.MW_BIND
          | AccessFlags.ZERO_BASED
          | AccessFlags.ON_DEMAND
          | AccessFlags.HUGETLB
          | AccessFlags.FLUSH_GLOBAL
          | AccessFlags.FLUSH_PERSISTENT;

  private static final int WRITE =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

  /**
   * A thread that owns no memory and never runs: memory that it may not access is closed to the
   * device's threads, too. It inherits nothing, so that a virtual network does not wait for it.
   */
  private static final Thread STRANGER =
      Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

  private RegisterableMemory() {}

  /**
   * Refuses memory that no device can register.
   *
   * @param accessFlags of {@link AccessFlags}; unknown bits of {@link AccessFlags#OPTIONAL_RANGE}
   *     are ignored
   * @throws VerbsException EINVAL for illegal rights and for heap, confined or closed memory;
   *     EFAULT for read-only memory with a right to write
   */
  public static void check(MemorySegment segment, int accessFlags) {
    RequiredArgument.check(segment, "memory");
    checkAccess(accessFlags);
    checkMemory(segment);
    if (segment.isReadOnly() && (accessFlags & WRITE) != 0) {
      throw new VerbsException(
          Errno.EFAULT,
          "the memory is read-only: register it without "
              + AccessFlags.toString(accessFlags & WRITE));
    }
  }

  /**
   * Access flags after {@code ibv_rereg_mr}: the requested ones with {@link AccessFlags#ZERO_BASED}
   * as it was, because the region's addresses do not change.
   *
   * @param now the region's access flags
   * @param asked the requested ones; -1 keeps the present ones
   * @throws VerbsException as {@link #check}; EINVAL if an ordinary region would become zero-based
   */
  public static int changedAccess(MemorySegment segment, int now, int asked) {
    if (asked == -1) {
      return now;
    }
    check(segment, asked);
    if ((asked & ~now & AccessFlags.ZERO_BASED) != 0) {
      throw Errno.EINVAL.refusal(
          "re-registration does not change addresses: leave ZERO_BASED out, or register anew");
    }
    return asked | now & AccessFlags.ZERO_BASED;
  }

  /**
   * Access flags after {@code ibv_rereg_mr} with other memory, as {@link #changedAccess}.
   *
   * @throws VerbsException as {@link #check}; EINVAL also for a zero-based region and for no bytes
   */
  public static int movedAccess(MemorySegment newMemory, int now, int asked) {
    int access = asked == -1 ? now : asked;
    check(newMemory, access);
    if (newMemory.byteSize() == 0) {
      throw Errno.EINVAL.refusal("a memory region must have at least one byte");
    }
    if (((now | access) & AccessFlags.ZERO_BASED) != 0) {
      throw Errno.EINVAL.refusal(
          "a zero-based region has no address that could change: register anew");
    }
    return access;
  }

  /**
   * Refuses illegal rights, for a change that leaves the memory as it is.
   *
   * @throws VerbsException EINVAL as {@link #check}
   */
  public static void checkAccess(int accessFlags) {
    int unknown = accessFlags & ~(KNOWN | AccessFlags.OPTIONAL_RANGE);
    if (unknown != 0) {
      throw new VerbsException(
          Errno.EINVAL,
          "access flags " + AccessFlags.toString(unknown) + " are unknown: leave them out");
    }
    if ((accessFlags & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0
        && (accessFlags & AccessFlags.LOCAL_WRITE) == 0) {
      throw Errno.EINVAL.refusal("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE: add it");
    }
  }

  private static void checkMemory(MemorySegment segment) {
    if (!segment.isNative()) {
      throw Errno.EINVAL.refusal(
          "a heap segment has no address: use Arena.ofShared().allocate or a mapped file");
    }
    if (!segment.scope().isAlive()) {
      throw Errno.EINVAL.refusal("the memory is freed: keep its arena open while it is registered");
    }
    if (!segment.isAccessibleBy(STRANGER)) {
      throw Errno.EINVAL.refusal("the memory belongs to one thread: use Arena.ofShared()");
    }
  }
}
