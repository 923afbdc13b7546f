package org.roce4j.verbs;

/** Flags of a send work request ({@code enum ibv_send_flags}, constants {@code IBV_SEND_*}). */
public final class SendFlags {
  /** Waits until earlier RDMA READs and atomics are finished. */
  public static final int FENCE = 1 << 0;

  /** Asks for a completion. */
  public static final int SIGNALED = 1 << 1;

  /** Raises a solicited event at the peer. */
  public static final int SOLICITED = 1 << 2;

  /**
   * The data is copied while posting, so that its buffers may be changed as soon as the post
   * returns (SEND, RDMA WRITE, ATOMIC WRITE). The buffers need not be registered and the keys of
   * the elements are not looked at; an element's address is an address in memory, even if its
   * region has another {@code iova}.
   */
  public static final int INLINE = 1 << 3;

  /** Asks the device to fill in IP and UDP or TCP checksums (UD, raw). */
  public static final int IP_CSUM = 1 << 4;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(FENCE, "FENCE")
          .name(SIGNALED, "SIGNALED")
          .name(SOLICITED, "SOLICITED")
          .name(INLINE, "INLINE")
          .name(IP_CSUM, "IP_CSUM");

  private SendFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
