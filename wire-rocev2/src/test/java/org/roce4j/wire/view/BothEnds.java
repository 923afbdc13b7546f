package org.roce4j.wire.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.RocePacket;

/**
 * Two capture files, of a client at 10.0.0.1 with QP 0x11 and a server at 10.0.0.2 with QP 0x22.
 */
final class BothEnds implements AutoCloseable {
  static final int CLIENT_QP = 0x11;
  static final int SERVER_QP = 0x22;
  private static final int CLIENT = 0x0A000001;
  private static final int SERVER = 0x0A000002;
  private static final long EPOCH_NS = 1_700_000_000_000_000_000L;

  final Path client;
  final Path server;
  private final CaptureWriter atClient;
  private final CaptureWriter atServer;

  /** How far the server's clock is ahead. */
  private long serverAheadNs;

  BothEnds(Path directory) throws IOException {
    client = directory.resolve("client.pcapng");
    server = directory.resolve("server.pcapng");
    atClient = CaptureWriter.create(client, LinkType.RAW, CaptureWriter.WHOLE_FRAMES);
    atServer = CaptureWriter.create(server, LinkType.RAW, CaptureWriter.WHOLE_FRAMES);
  }

  BothEnds serverAhead(long ns) {
    serverAheadNs = ns;
    return this;
  }

  static RocePacket send(int psn) {
    BaseHeader bth = BaseHeader.of(Opcode.RC_SEND_ONLY, SERVER_QP, true, psn);
    return packet(true, bth, List.of(), 5);
  }

  static RocePacket answer(int psn, int syndrome) {
    BaseHeader bth = BaseHeader.of(Opcode.RC_ACKNOWLEDGE, CLIENT_QP, false, psn);
    return packet(false, bth, List.of(new Extension.Acknowledge(syndrome, 1)), 0);
  }

  static RocePacket packet(
      boolean fromClient, BaseHeader bth, List<Extension> extensions, int payload) {
    Ipv4Header ip = Ipv4Header.of(fromClient ? CLIENT : SERVER, fromClient ? SERVER : CLIENT, 0);
    return RocePacket.of(ip, 49152, bth, extensions, Bytes.zeros(payload));
  }

  /** Sent and seen by both. */
  BothEnds passes(long sentNs, long arrivedNs, RocePacket packet) throws IOException {
    lost(sentNs, packet);
    return appears(arrivedNs, packet);
  }

  /** Seen by its sender alone. */
  BothEnds lost(long sentNs, RocePacket packet) throws IOException {
    if (fromClient(packet)) {
      write(atClient, sentNs, packet);
    } else {
      write(atServer, sentNs + serverAheadNs, packet);
    }
    return this;
  }

  /** Seen by its destination alone. */
  BothEnds appears(long arrivedNs, RocePacket packet) throws IOException {
    if (fromClient(packet)) {
      write(atServer, arrivedNs + serverAheadNs, packet);
    } else {
      write(atClient, arrivedNs, packet);
    }
    return this;
  }

  private static boolean fromClient(RocePacket packet) {
    return packet.ip().sourceText().equals("10.0.0.1");
  }

  private static void write(CaptureWriter writer, long ns, RocePacket packet) throws IOException {
    ByteBuffer bytes = packet.emit().buffer();
    writer.write(EPOCH_NS + ns, bytes, 0, bytes.limit());
  }

  /** The files are complete. */
  @Override
  public void close() throws IOException {
    atClient.close();
    atServer.close();
  }

  View viewed() throws IOException {
    close();
    return View.read(List.of(client, server), List.of());
  }

  View viewedFromServer() throws IOException {
    close();
    return View.read(List.of(server, client), List.of());
  }

  View ofClient() throws IOException {
    close();
    return View.read(List.of(client), List.of());
  }
}
