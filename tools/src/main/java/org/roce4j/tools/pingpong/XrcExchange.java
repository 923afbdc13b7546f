package org.roce4j.tools.pingpong;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;

/**
 * The exchange of {@code ibv_xsrq_pingpong}: a TCP connection for each client, which stays open
 * until both sides have said {@code END}, so that nobody leaves while a message of another client
 * is still to be received by way of its queue pair.
 *
 * <pre>
 *   client            server, for each client in turn
 *   connect
 *   tell         --&gt;  hear
 *   hear         &lt;--  tell
 *   to RTS            to RTS
 *        ... the server sends the first message when all are there ...
 *   END          --&gt;  from all
 *                &lt;--  END to all
 * </pre>
 */
final class XrcExchange implements PeerExchange {
  private static final byte[] END = "END\0".getBytes(StandardCharsets.US_ASCII);

  private final Supplier<PeerConnection> next;
  private final Duration patience;
  private final List<PeerConnection> connections = new ArrayList<>();

  /**
   * An exchange by its first connection.
   *
   * @param next makes each of the others
   */
  XrcExchange(PeerConnection first, Supplier<PeerConnection> next, Duration patience) {
    this.next = next;
    this.patience = patience;
    connections.add(first);
  }

  @Override
  public InetAddress localAddress() {
    return connections.getFirst().localAddress();
  }

  @Override
  public InetAddress addressForDevice() {
    return connections.getFirst().addressForDevice();
  }

  @Override
  public void asServer(PingPongPlayer player) {
    PingPongSide side = player.side();
    for (PingPongLane lane : side.lanes()) {
      PeerConnection client = connection(lane.index);
      XrcAddress peer = hear(client);
      client.write(side.xrcAddress(lane).encode());
      side.connect(lane, peer);
    }
    player.start();
  }

  @Override
  public void asClient(PingPongPlayer player) {
    PingPongSide side = player.side();
    for (PingPongLane lane : side.lanes()) {
      PeerConnection server = connection(lane.index);
      server.write(side.xrcAddress(lane).encode());
      side.connect(lane, hear(server));
    }
    player.start();
  }

  private PeerConnection connection(int index) {
    if (index == connections.size()) {
      connections.add(next.get());
    }
    return connections.get(index);
  }

  private static XrcAddress hear(PeerConnection peer) {
    byte[] message = peer.read(XrcAddress.LENGTH, "its address");
    XrcAddress address =
        XrcAddress.decode(message)
            .orElseThrow(
                () ->
                    ToolFailure.atRunTime(
                        "%s does not speak the protocol of ibv_xsrq_pingpong: it sent '%s';"
                            + " both sides need the same --service",
                        peer.peer(), PeerConnection.printable(message)));
    if (address.target().gid().isZero()) {
      throw ToolFailure.atRunTime(
          "%s gave no GID: start its ibv_xsrq_pingpong with -g INDEX (see show_gids or"
              + " ibv_devinfo -v)",
          peer.peer());
    }
    return address;
  }

  @Override
  public void part(PingPongPlayer player, Interruption interruption) {
    if (interruption.asked()) {
      return;
    }
    if (player.side().client()) {
      sayEnd();
    }
    for (PeerConnection connection : connections) {
      await(connection, player, interruption);
    }
    if (!player.side().client()) {
      sayEnd();
    }
  }

  private void sayEnd() {
    connections.forEach(connection -> connection.write(END));
  }

  /** Waits for the peer's last message; until then the peer may ask again for lost messages. */
  private void await(PeerConnection peer, PingPongPlayer player, Interruption interruption) {
    long endNs = System.nanoTime() + patience.toNanos();
    peer.watch();
    while (!peer.spoke() && System.nanoTime() - endNs < 0 && !interruption.asked()) {
      player.poll();
      Thread.onSpinWait();
    }
    if (!interruption.asked() && !Arrays.equals(peer.read(END.length, "'END'"), END)) {
      throw ToolFailure.atRunTime(peer.peer() + " did not end with 'END'");
    }
  }

  @Override
  public void close() {
    connections.forEach(PeerConnection::close);
  }
}
