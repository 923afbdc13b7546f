package org.roce4j.tools;

/**
 * Loopback addresses that no other process uses, not even another run of these tests. Each test
 * class uses other numbers.
 */
public final class OwnNetwork {
  private static final long PROCESS = ProcessHandle.current().pid();

  /** The first three numbers, each with its dot. */
  public static final String PREFIX =
      "127." + (64 + PROCESS / 256 % 128) + "." + PROCESS % 256 + ".";

  private OwnNetwork() {}

  public static String address(int number) {
    return PREFIX + number;
  }

  /** A multicast group that no other process joins. */
  public static String group() {
    return "239.83." + PROCESS / 256 % 256 + "." + PROCESS % 256;
  }
}
