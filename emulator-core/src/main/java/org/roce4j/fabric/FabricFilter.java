package org.roce4j.fabric;

import java.nio.ByteBuffer;
import org.roce4j.options.Quantity;
import org.roce4j.verbs.Gid;

/**
 * Decides about single datagrams, beside the random faults: "drop the third READ response". It is
 * called on the thread that makes the fabric run and calls nothing of devices or fabric. A datagram
 * about which it throws passes; what it throws is told ({@link Fabric#onThrown}).
 */
@FunctionalInterface
public interface FabricFilter {
  /**
   * Called once per datagram and link, before the random faults.
   *
   * @param source who sent it
   * @param destination the receiver's address (not the group, when it was sent to one)
   * @param buffer holds the sealed datagram; not to be changed or kept
   * @param at offset of BTH
   * @param length bytes including the ICRC
   * @param n how many datagrams this link was given so far, this one included: the first is 1
   */
  Verdict decide(Gid source, Gid destination, ByteBuffer buffer, int at, int length, long n);

  /**
   * What happens to a datagram.
   *
   * @param drop it never arrives
   * @param copies further copies that arrive right behind it
   * @param corruptBits how many of its bits are flipped
   * @param delayNs how much later it arrives, behind what was sent after it
   * @param reason for people who read a capture, such as {@code rule 2 (drop nth=3)}; may be empty
   */
  record Verdict(boolean drop, int copies, int corruptBits, long delayNs, String reason) {
    public static final Verdict PASS = new Verdict(false, 0, 0, 0);
    public static final Verdict DROP = new Verdict(true, 0, 0, 0);
    public static final Verdict DUPLICATE = new Verdict(false, 1, 0, 0);
    public static final Verdict CORRUPT = new Verdict(false, 0, 1, 0);

    public Verdict {
      if (copies < 0 || corruptBits < 0 || delayNs < 0 || delayNs > LinkModel.MAX_DELAY_NS) {
        throw Quantity.refuse("a verdict's copies, corruptBits and delayNs are not negative");
      }
    }

    /** A verdict without a reason. */
    public Verdict(boolean drop, int copies, int corruptBits, long delayNs) {
      this(drop, copies, corruptBits, delayNs, "");
    }

    /** The same verdict, with its reason. */
    public Verdict because(String reason) {
      return new Verdict(drop, copies, corruptBits, delayNs, reason);
    }

    /** It arrives {@code delayNs} later; other datagrams overtake it. */
    public static Verdict delay(long delayNs) {
      return new Verdict(false, 0, 0, delayNs);
    }
  }
}
