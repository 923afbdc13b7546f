package org.roce4j.verbs;

/**
 * The rules of {@code ibv_bind_mw} that are the same for every device, so that a program meets the
 * same refusal everywhere.
 */
public final class WindowBinding {
  private WindowBinding() {}

  /**
   * Refuses arguments that no device binds.
   *
   * @param window a type 1 window
   * @param queuePair that binds
   * @param region null: the window is unbound, and {@code address} and {@code length} are 0
   * @param accessFlags {@link AccessFlags}
   * @throws VerbsException EINVAL for an address or length without a region and for {@link
   *     AccessFlags#ZERO_BASED}; EPERM if the three are not of one protection domain
   */
  public static void check(
      MemoryWindow window,
      QueuePair queuePair,
      MemoryRegion region,
      long address,
      long length,
      int accessFlags) {
    if (region == null && (length != 0 || address != 0)) {
      throw Errno.EINVAL.refusal("an address or length needs a memory region");
    }
    if ((accessFlags & AccessFlags.ZERO_BASED) != 0) {
      throw Errno.EINVAL.refusal("type 1 windows cannot be zero-based");
    }
    ProtectionDomain pd = queuePair.pd().beneath();
    if (window.pd().beneath() != pd || (region != null && region.pd().beneath() != pd)) {
      throw Errno.EPERM.refusal(
          "window, region and queue pair must be of one protection domain, not of %s, %s and"
              + " %s",
          window.pd(), region == null ? "none" : region.pd(), queuePair.pd());
    }
  }
}
