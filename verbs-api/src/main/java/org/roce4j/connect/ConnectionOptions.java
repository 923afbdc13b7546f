package org.roce4j.connect;

import java.time.Duration;
import java.util.function.Consumer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * Options of an end that sends and receives messages. Immutable. The exchange of addresses does not
 * contain them: give both ends the same message size and path MTU.
 *
 * @param messageBytes length of the longest message in bytes, 1 to 1 GiB; default 4096, as in
 *     {@code ibv_rc_pingpong}. A datagram end uses the port's active MTU if that is less
 * @param depth number of receives kept posted, and of requests that can be outstanding, 1 to 32768;
 *     default 16
 * @param portNum the device's port, 1 to 255; default 1
 * @param gidIndex index of the local address in the GID table of that port; default 0
 * @param pathMtu path MTU; the default, null, is 1024 as in {@code ibv_rc_pingpong}, or the port's
 *     active MTU if that is less, and between two ends of one process the lesser of both active
 *     MTUs
 * @param timeout timeout of each call without one of its own, and of each step of the exchange of
 *     addresses; default 10 s. On a virtual network calls count virtual time
 * @param attributes changes the queue pair's attributes, which are first those of {@link
 *     QpBringUp#attributes()} on port {@code portNum} with ACK timeout 17 (0.5 s), so that a peer
 *     that waits for a processor is not given up
 */
public record ConnectionOptions(
    int messageBytes,
    int depth,
    int portNum,
    int gidIndex,
    Mtu pathMtu,
    Duration timeout,
    Consumer<QpAttr> attributes) {
  /** Options that hold unless a program sets others: 4096 bytes, 16 receives, 10 s. */
  public static final ConnectionOptions DEFAULT =
      new ConnectionOptions(4096, 16, 1, 0, null, Duration.ofSeconds(10), attr -> {});

  private static final int MOST_BYTES = 1 << 30;
  private static final int MOST_DEPTH = 1 << 15;
  private static final int MOST_PORTS = 255;

  /**
   * Checks the components.
   *
   * @throws VerbsException EINVAL if a number is out of range or an object other than {@code
   *     pathMtu} is null
   */
  public ConnectionOptions {
    RequiredArgument.checkRange(messageBytes, 1, MOST_BYTES, "messageBytes");
    RequiredArgument.checkRange(depth, 1, MOST_DEPTH, "depth");
    RequiredArgument.checkRange(portNum, 1, MOST_PORTS, "portNum");
    RequiredArgument.checkRange(gidIndex, 0, 255, "gidIndex");
    RequiredArgument.check(attributes, "attributes");
    RequiredArgument.checkNotNegative(
        RequiredArgument.check(timeout, "timeout").getSeconds(), "timeout");
  }

  /** These options with another length of the longest message, in bytes. */
  public ConnectionOptions withMessageBytes(int value) {
    return new ConnectionOptions(value, depth, portNum, gidIndex, pathMtu, timeout, attributes);
  }

  /** These options with another number of receives kept posted. */
  public ConnectionOptions withDepth(int value) {
    return new ConnectionOptions(
        messageBytes, value, portNum, gidIndex, pathMtu, timeout, attributes);
  }

  /**
   * These options with another port of the device; {@link #gidIndex} counts in the table of that
   * port.
   *
   * @param value 1 to 255; the device's number of ports is judged when the end is made (EINVAL)
   */
  public ConnectionOptions withPortNum(int value) {
    return new ConnectionOptions(
        messageBytes, depth, value, gidIndex, pathMtu, timeout, attributes);
  }

  /** These options with another index of the local address. */
  public ConnectionOptions withGidIndex(int value) {
    return new ConnectionOptions(messageBytes, depth, portNum, value, pathMtu, timeout, attributes);
  }

  /** These options with another path MTU; the peer's must be the same. */
  public ConnectionOptions withPathMtu(Mtu value) {
    return new ConnectionOptions(
        messageBytes, depth, portNum, gidIndex, value, timeout, attributes);
  }

  /** These options with another timeout of calls without one of their own. */
  public ConnectionOptions withTimeout(Duration value) {
    return new ConnectionOptions(
        messageBytes, depth, portNum, gidIndex, pathMtu, value, attributes);
  }

  /**
   * These options with another change of attributes, such as {@code attr ->
   * attr.timeout(10).retryCnt(2)}.
   */
  public ConnectionOptions withAttributes(Consumer<QpAttr> value) {
    return new ConnectionOptions(messageBytes, depth, portNum, gidIndex, pathMtu, timeout, value);
  }

  @Override
  public String toString() {
    return Wording.of(
        "messages of at most %d bytes, %d receives, port %d, GID %d, path MTU %s, %s",
        messageBytes, depth, portNum, gidIndex, pathMtu == null ? "of the port" : pathMtu, timeout);
  }
}
