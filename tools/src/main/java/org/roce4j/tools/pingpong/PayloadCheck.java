package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.side.Role;

/**
 * Checks every byte of what one end receives. The first message shows what the peer is, because the
 * exchange of addresses does not: another {@code roce4j pingpong} sends its own {@link
 * PayloadPattern}; a C program starts with a fresh buffer and from then on sends back what it
 * received, as {@link Echo} says.
 *
 * <p>Messages have numbers from 0; with several queue pairs, message {@code k} of queue pair {@code
 * i} of {@code n} is number {@code k * n + i}.
 */
final class PayloadCheck {
  /** The kind of program that the peer's bytes have proved it to be. */
  enum PeerProgram {
    UNKNOWN,
    ROCE4J,
    C_PROGRAM
  }

  private final Role own;
  private final PingPongService service;
  private final PayloadPattern ours;
  private final PayloadPattern theirs;
  private final Echo echo;
  private PeerProgram peer;
  private long verifiedBytes;

  /**
   * A check of the messages that the end with this role receives.
   *
   * @param peer {@link PeerProgram#UNKNOWN} to find out
   */
  PayloadCheck(Role own, PingPongService service, PingPongPlan plan, PeerProgram peer) {
    boolean shared = service.sharesReceives();
    this.own = own;
    this.service = service;
    this.ours = new PayloadPattern(own, plan.iterations(), shared);
    this.theirs = new PayloadPattern(own.other(), plan.iterations(), shared);
    this.echo =
        shared
            ? new SharedBufferEcho(ours, service.fillOfTheCProgram(), plan.qps())
            : new LastMessageEcho(own, ours, service.fillOfTheCProgram());
    this.peer = peer;
  }

  /** The bytes to send. */
  PayloadPattern ours() {
    return ours;
  }

  /** Must be called for each message that is posted and acknowledged. */
  Echo echo() {
    return echo;
  }

  PeerProgram peer() {
    return peer;
  }

  /** The number of correct bytes so far. */
  long verifiedBytes() {
    return verifiedBytes;
  }

  /**
   * Checks a message.
   *
   * @throws ToolFailure naming the first wrong byte
   */
  void check(long number, MemorySegment message) {
    if (message.byteSize() == 0) {
      return;
    }
    switch (peer) {
      case UNKNOWN -> recognise(number, message);
      case ROCE4J -> {
        long wrong = theirs.mismatch(number, message);
        demandRight(number, message, wrong, wrong < 0 ? 0 : theirs.at(number, wrong));
      }
      case C_PROGRAM -> {
        long wrong = echo.mismatch(number, message);
        demandRight(number, message, wrong, wrong < 0 ? 0 : echo.due(number, wrong));
      }
    }
    verifiedBytes += message.byteSize();
  }

  /** A message of few bytes may be right for both; then the next one decides. */
  private void recognise(long number, MemorySegment message) {
    long wrong = theirs.mismatch(number, message);
    boolean echoed = echo.mismatch(number, message) < 0;
    if (wrong >= 0 && !echoed) {
      throw ToolFailure.atRunTime(
          "data error: the peer's first message is neither that of roce4j pingpong (byte %d is"
              + " 0x%02x, not 0x%02x) nor that of %s; both sides need the same --service,"
              + " --size and --iters",
          wrong, message.get(JAVA_BYTE, wrong), theirs.at(number, wrong), service.program());
    }
    if (wrong >= 0) {
      peer = PeerProgram.C_PROGRAM;
    } else if (!echoed) {
      peer = PeerProgram.ROCE4J;
    }
  }

  private void demandRight(long number, MemorySegment message, long wrong, byte due) {
    if (wrong < 0) {
      return;
    }
    byte is = message.get(JAVA_BYTE, wrong);
    boolean lastMessageOnOneSide =
        wrong % PayloadPattern.PAGE == 0 && own == Role.SERVER && (is == 0 || due == 0);
    throw ToolFailure.atRunTime(
        "data error: byte %d of message %d that the %s received is 0x%02x, not 0x%02x%s",
        wrong,
        number + 1,
        own,
        is,
        due,
        lastMessageOnOneSide ? "; both sides need the same --iters" : "");
  }
}
