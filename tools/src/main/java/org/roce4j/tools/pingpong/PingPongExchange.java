package org.roce4j.tools.pingpong;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.Gid;

/**
 * The TCP connection over which two pingpong programs exchange their addresses, with the messages
 * and in the order of {@code ibv_rc_pingpong}. The C programs read each message with one {@code
 * read()}, so each is written in one call and nothing is written ahead.
 *
 * <pre>
 *   client            server
 *   connect
 *   send         --&gt;  receive, then to RTS
 *   receive      &lt;--  send
 *   sayDone      --&gt;  awaitDone
 *   to RTS
 * </pre>
 */
final class PingPongExchange implements AutoCloseable {
  private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

  private static final ExchangedAddress NO_ADDRESS = new ExchangedAddress(0, 0, 0, Gid.ZERO);

  private final PeerConnection connection;

  PingPongExchange(PeerConnection connection) {
    this.connection = connection;
  }

  /** The local end of the connection. */
  InetAddress localAddress() {
    return connection.localAddress();
  }

  /** The local address that leads to the peer, for a device. */
  InetAddress addressForDevice() {
    return connection.addressForDevice();
  }

  /**
   * Sends the peer the addresses of our queue pairs.
   *
   * @param messages the number that the peer expects; those beyond our queue pairs are all zero
   */
  void send(List<ExchangedAddress> own, int messages) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < messages; i++) {
      all.writeBytes((i < own.size() ? own.get(i) : NO_ADDRESS).encode());
    }
    connection.write(all.toByteArray());
  }

  /**
   * Receives the addresses of the peer's queue pairs.
   *
   * @param messages the number that the peer sends
   * @param queuePairs the number of the first ones that must be valid
   * @param program the C program that may be there
   */
  List<ExchangedAddress> receive(int messages, int queuePairs, String program) {
    byte[] all = connection.read(messages * ExchangedAddress.LENGTH, "its address");
    List<ExchangedAddress> addresses = new ArrayList<>();
    for (int i = 0; i < queuePairs; i++) {
      int at = i * ExchangedAddress.LENGTH;
      addresses.add(decode(Arrays.copyOfRange(all, at, at + ExchangedAddress.LENGTH), program, i));
    }
    return addresses;
  }

  private ExchangedAddress decode(byte[] message, String program, int index) {
    ExchangedAddress address =
        ExchangedAddress.decode(message)
            .orElseThrow(
                () ->
                    ToolFailure.atRunTime(
                        "%s does not speak the pingpong protocol: it sent '%s'",
                        connection.peer(), PeerConnection.printable(message)));
    if (index > 0 && address.qpn() == 0) {
      throw ToolFailure.atRunTime(
          "%s has fewer queue pairs than we: %d; give both sides the same --qps (%s: -q)",
          connection.peer(), index, program);
    }
    if (address.gid().isZero()) {
      throw ToolFailure.atRunTime(
          "%s gave no GID: start its %s with -g INDEX (see show_gids or ibv_devinfo -v)",
          connection.peer(), program);
    }
    return address;
  }

  /** Sends the client's last message. */
  void sayDone() {
    connection.write(DONE);
  }

  /** Waits for the client's last message. */
  void awaitDone() {
    byte[] message = connection.read(DONE.length, "'done'");
    if (!Arrays.equals(message, DONE)) {
      throw ToolFailure.atRunTime(
          "%s does not speak the pingpong protocol: it sent '%s' where 'done' was due",
          connection.peer(), PeerConnection.printable(message));
    }
  }

  /** Ends the connection: the game itself needs none. */
  void hangUp() {
    connection.close();
  }

  @Override
  public void close() {
    hangUp();
  }
}
