package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.roce4j.tools.console.ToolFailure;

/**
 * Checks every byte of what one end receives. The first message tells who the peer is, for the
 * exchange of addresses does not: another {@code roce4j pingpong} sends its own {@link
 * PayloadPattern}; {@code ibv_rc_pingpong} starts with a buffer of 0x7b and from then on sends back
 * what it received last, because its sends and receives share one buffer.
 */
final class PayloadCheck {
  /** Who the peer proved to be. */
  enum Peer {
    UNKNOWN,
    ROCE4J,
    C_PROGRAM
  }

  private static final byte C_FILL = 0x7b;

  private final Role own;
  private final PayloadPattern ours;
  private final PayloadPattern theirs;
  private Peer peer;
  private long verifiedBytes;

  /**
   * A check of the messages that the end with this role receives.
   *
   * @param peer {@link Peer#UNKNOWN} to find out
   */
  PayloadCheck(Role own, long iterations, Peer peer) {
    this.own = own;
    this.ours = new PayloadPattern(own, iterations);
    this.theirs = new PayloadPattern(own.other(), iterations);
    this.peer = peer;
  }

  /** The bytes to send. */
  PayloadPattern ours() {
    return ours;
  }

  Peer peer() {
    return peer;
  }

  /** Bytes that were right so far. */
  long verifiedBytes() {
    return verifiedBytes;
  }

  /**
   * Checks message {@code number} (from 0).
   *
   * @throws ToolFailure naming the first wrong byte
   */
  void check(long number, MemorySegment message) {
    if (message.byteSize() == 0) {
      return;
    }
    if (peer == Peer.UNKNOWN) {
      peer = recognise(message);
    }
    long wrong;
    if (peer == Peer.ROCE4J) {
      wrong = theirs.mismatch(number, message);
      demandRight(number, message, wrong, theirs, number);
    } else if (own == Role.CLIENT) {
      wrong = ours.mismatch(number, message);
      demandRight(number, message, wrong, ours, number);
    } else if (number > 0) {
      wrong = ours.mismatch(number - 1, message);
      demandRight(number, message, wrong, ours, number - 1);
    }
    verifiedBytes += message.byteSize();
  }

  private Peer recognise(MemorySegment first) {
    if (theirs.mismatch(0, first) < 0) {
      return Peer.ROCE4J;
    }
    if (own == Role.CLIENT ? ours.mismatch(0, first) < 0 : isFreshCBuffer(first)) {
      return Peer.C_PROGRAM;
    }
    long wrong = theirs.mismatch(0, first);
    throw ToolFailure.atRunTime(
        "data error: the peer's first message is neither that of roce4j pingpong (byte "
            + wrong
            + " is "
            + hex(first.get(JAVA_BYTE, wrong))
            + ", not "
            + hex(theirs.at(0, wrong))
            + ") nor that of ibv_rc_pingpong; both sides need the same --size and --iters");
  }

  /** Filled with 0x7b, but for zeros at page starts if the client runs with {@code -c}. */
  private static boolean isFreshCBuffer(MemorySegment message) {
    for (long i = 0; i < message.byteSize(); i++) {
      byte value = message.get(JAVA_BYTE, i);
      if (value != C_FILL && !(value == 0 && i % PayloadPattern.PAGE == 0)) {
        return false;
      }
    }
    return true;
  }

  private void demandRight(
      long number, MemorySegment message, long wrong, PayloadPattern pattern, long sent) {
    if (wrong < 0) {
      return;
    }
    byte is = message.get(JAVA_BYTE, wrong);
    byte due = pattern.at(sent, wrong);
    boolean lastMessageOnOneSide =
        wrong % PayloadPattern.PAGE == 0 && own == Role.SERVER && (is == 0 || due == 0);
    throw ToolFailure.atRunTime(
        "data error: byte "
            + wrong
            + " of message "
            + (number + 1)
            + " that the "
            + own
            + " received is "
            + hex(is)
            + ", not "
            + hex(due)
            + (lastMessageOnOneSide ? "; both sides need the same --iters" : ""));
  }

  private static String hex(byte value) {
    return String.format(Locale.ROOT, "0x%02x", value);
  }
}
