package org.roce4j.connect;

import java.time.Duration;
import java.util.function.Consumer;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

/**
 * How an end of messages is made. Immutable. The exchange of addresses tells the peer none of this:
 * give both ends the same message size and path MTU.
 *
 * @param messageBytes the longest message, 1 to 1 GiB; 4096 unless set, as {@code ibv_rc_pingpong}
 *     has it. A datagram end takes the port's active MTU where that is less
 * @param depth receives that are kept posted, and messages that can be under way, 1 to 32768; 16
 *     unless set
 * @param gidIndex of the local address in the table of port 1; 0 unless set
 * @param pathMtu null unless set: 1024 as {@code ibv_rc_pingpong} has it, or the port's active MTU
 *     where that is less; between two ends of one process the lesser of both active MTUs
 * @param timeout of every call that is given none, and of each step of the exchange of addresses;
 *     10 s unless set. On a virtual network it is virtual time
 * @param attributes changes the attributes of the queue pair, which are those of {@link
 *     QpBringUp#attributes()}
 */
public record ConnectionOptions(
    int messageBytes,
    int depth,
    int gidIndex,
    Mtu pathMtu,
    Duration timeout,
    Consumer<QpAttr> attributes) {
  /** What holds unless it is set. */
  public static final ConnectionOptions DEFAULT =
      new ConnectionOptions(4096, 16, 0, null, Duration.ofSeconds(10), attr -> {});

  private static final int MOST_BYTES = 1 << 30;
  private static final int MOST_DEPTH = 1 << 15;

  /**
   * Checks the numbers.
   *
   * @throws VerbsException EINVAL if one is out of range or an object is missing
   */
  public ConnectionOptions {
    range(messageBytes, 1, MOST_BYTES, "messageBytes");
    range(depth, 1, MOST_DEPTH, "depth");
    range(gidIndex, 0, 255, "gidIndex");
    RequiredArgument.check(attributes, "attributes");
    RequiredArgument.checkNotNegative(
        RequiredArgument.check(timeout, "timeout").toMillis(), "timeout");
  }

  private static void range(int value, int least, int most, String name) {
    if (value < least || value > most) {
      throw new VerbsException(
          Errno.EINVAL, "%s must be %d to %d, not %d".formatted(name, least, most, value));
    }
  }

  /** With another size of the longest message, in bytes. */
  public ConnectionOptions withMessageBytes(int value) {
    return new ConnectionOptions(value, depth, gidIndex, pathMtu, timeout, attributes);
  }

  /** With another number of receives that are kept posted. */
  public ConnectionOptions withDepth(int value) {
    return new ConnectionOptions(messageBytes, value, gidIndex, pathMtu, timeout, attributes);
  }

  /** With another index of the local address. */
  public ConnectionOptions withGidIndex(int value) {
    return new ConnectionOptions(messageBytes, depth, value, pathMtu, timeout, attributes);
  }

  /** With another path MTU; the peer's must be the same. */
  public ConnectionOptions withPathMtu(Mtu value) {
    return new ConnectionOptions(messageBytes, depth, gidIndex, value, timeout, attributes);
  }

  /** With another timeout of calls that are given none. */
  public ConnectionOptions withTimeout(Duration value) {
    return new ConnectionOptions(messageBytes, depth, gidIndex, pathMtu, value, attributes);
  }

  /** With other attributes, such as {@code attr -> attr.timeout(10).retryCnt(2)}. */
  public ConnectionOptions withAttributes(Consumer<QpAttr> value) {
    return new ConnectionOptions(messageBytes, depth, gidIndex, pathMtu, timeout, value);
  }
}
