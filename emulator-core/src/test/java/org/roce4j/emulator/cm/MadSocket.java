package org.roce4j.emulator.cm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.cm.PeerMessages;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.PKey;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.ServiceId;

/** Queue pair 1 of a peer that a test plays, on a socket. */
final class MadSocket implements AutoCloseable {
  private static final Opcode OPCODE = Opcode.UD_SEND_ONLY;
  private static final int STRANGER = 0x7fff_0001;
  private static final long PATIENCE_NS = 30_000_000_000L;

  /** Time wait lasts some seconds, so that it is not over before a slow machine has looked. */
  private static final int ACK_TIMEOUT = 24;

  private final Port port;
  private final Path path;
  private final Transmit train;
  private int transactions;

  MadSocket(PortProvider provider, Gid own, Gid device, int udpPort) {
    port = provider.open(PortOptions.of(List.of(own)).withUdpPort(udpPort));
    port.adopt();
    path = MadPacket.path(own, device);
    train =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), port.capabilities().maxTrain());
  }

  /** A request from one address to a TCP port of another. */
  static Req request(Gid from, Gid to, int tcpPort) {
    return PeerMessages.request(
        ServiceId.of(ServiceId.TCP, tcpPort),
        MadPacket.primary(from, to, ACK_TIMEOUT),
        MadPacket.addresses(from, to, 50_000));
  }

  /**
   * Sends a message, and returns the messages that the device has sent until it has handled it: a
   * release of no connection, which the device confirms, follows the message.
   *
   * @param message null to send none
   */
  List<CmMessage> exchange(CmMessage message) {
    if (message != null) {
      send(message.in(++transactions));
    }
    long fence = ++transactions;
    send(new Dreq(STRANGER, STRANGER, 3, Bytes.NONE).in(fence));
    List<CmMessage> heard = new ArrayList<>();
    long untilNs = System.nanoTime() + PATIENCE_NS;
    boolean[] over = new boolean[1];
    while (!over[0]) {
      if (System.nanoTime() - untilNs > 0) {
        throw new AssertionError("no answer to a release; heard " + heard);
      }
      port.await(PATIENCE_NS);
      port.receive(
          in -> {
            int at = OutboundPacket.payloadAt(OPCODE, in.at());
            Mad mad = Mad.parse(in.buffer(), at, Mad.SIZE);
            if (mad.message() instanceof Drep && mad.header().transactionId() == fence) {
              over[0] = true;
            } else {
              heard.add(mad.message());
            }
          },
          64);
    }
    return heard;
  }

  private void send(Mad mad) {
    MadPacket.put(train, path, OPCODE, PKey.DEFAULT, Mad.QKEY, mad);
    port.send(train);
  }

  @Override
  public void close() {
    port.close();
  }
}
