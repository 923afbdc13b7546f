package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Receives every message of its peer once, in the order of sending. */
final class ReliableReceiver extends Receiver {
  private static final int UNKNOWN = -1;

  /** The messages that were sent and not received, in order. */
  private final Deque<PostedSend> expected = new ArrayDeque<>();

  private final WindowModel window;

  /**
   * @param window the window that messages may invalidate, or null
   */
  ReliableReceiver(String name, BooleanSupplier inError, ReceivePool receives, WindowModel window) {
    super(name, inError, receives);
    this.window = window;
  }

  /** The peer sent a message. */
  void expect(PostedSend message) {
    expected.add(message);
  }

  /** The length of the n-th message that was sent and not received, or -1 if there is none. */
  int lengthOf(int n) {
    return expected.stream().skip(n).mapToInt(PostedSend::length).findFirst().orElse(UNKNOWN);
  }

  @Override
  PostedSend identify(PostedReceive receive, WorkCompletions wcs, int index) {
    PostedSend message = expected.poll();
    require(
        message != null,
        OracleRule.RECEIVED_IN_ORDER,
        "%s received what nobody sent: %s",
        name,
        wcs.toString(index));
    require(
        looksLike(message, wcs, index) && wcs.byteLength(index) == message.length(),
        OracleRule.RECEIVED_IN_ORDER,
        "%s: %s with immediate or key 0x%x was received as %s",
        name,
        message,
        message.immediate,
        wcs.toString(index));
    message.received = true;
    if (message.opcode == WrOpcode.SEND_WITH_INV) {
      window.state = WindowModel.State.FREE;
    }
    return message;
  }

  @Override
  void firstFlushed(PostedReceive receive, String why) {
    settle(receive, expected.peek(), why);
  }

  @Override
  void abandoned(PostedReceive receive) {
    settle(receive, expected.poll(), name + ": never completed " + receive);
  }

  /**
   * Requires that a request holds a part of {@code message} and nothing else; nothing at all if the
   * message is null.
   */
  private void settle(PostedReceive receive, PostedSend message, String why) {
    if (message == null) {
      neverTaken(receive, why);
    } else {
      Pieces.forEach(receive.pieces, content(message), (e, b) -> e.memory.settleTorn(e, b, why));
    }
  }
}
