package org.roce4j.port.capture;

import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.FaultWitness;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.TappedPort;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureWriter;

/**
 * Writes every datagram that another port sends and receives into a capture file. Each datagram is
 * an IP packet of its own, even if it was part of a train. A socket does not show IP headers, so
 * this port makes them: with the TOS and TTL of the datagram, or 0 and 64 if the kernel hides them,
 * and with the IPv4 identification for which the ICRC is right. If no identification makes it
 * right, the header has 0, so that a wrong ICRC stays wrong.
 *
 * <p>The file shows the effects of a {@link FaultPort} above this port, with comments, including
 * datagrams that it dropped. It does not show the effects of one below. Allocates nothing per
 * datagram. Threads: as the port below.
 */
public final class CapturePort extends TappedPort implements FaultWitness {
  private static final int UNKNOWN_HOP_LIMIT = 64;

  private final int udpPort;
  private final CaptureFile file;
  private final Envelope envelope;
  private final long sinceEpochNs;
  private final IcrcSealer sealer;
  private final ByteBuffer lost = ByteBuffer.allocateDirect(Transmit.MAX_BYTES);
  private long batchNs;
  private long newest;
  private boolean closed;

  /**
   * Captures into a new file: pcap if its name ends in {@code .pcap}, else pcapng.
   *
   * @param udpPort UDP port of every peer, as in {@link PortOptions}
   * @param snapLength bytes to keep of a packet; {@link CaptureWriter#WHOLE_FRAMES} for all
   * @throws VerbsException EIO if the file cannot be created; the port below stays open
   */
  public CapturePort(Port port, int udpPort, java.nio.file.Path file, int snapLength) {
    this(port, udpPort, file, snapLength, Clock.systemUTC());
  }

  /**
   * @param clock read once, to put the port's own clock in relation to it
   */
  public CapturePort(Port port, int udpPort, java.nio.file.Path file, int snapLength, Clock clock) {
    this(port, udpPort, new CaptureFile(file, "", snapLength, CaptureExtent.ALL, 1), clock);
  }

  /**
   * Captures into a file that several ports share.
   *
   * @param clock read once, to put the port's own clock in relation to it
   */
  public CapturePort(Port port, int udpPort, CaptureFile file, Clock clock) {
    super(port);
    this.udpPort = udpPort;
    this.file = file;
    envelope = new Envelope(udpPort);
    sealer = new IcrcSealer(IdentificationRule.ZERO, udpPort);
    Instant now = clock.instant();
    sinceEpochNs = now.getEpochSecond() * 1_000_000_000L + now.getNano() - port.nowNs();
  }

  @Override
  protected int take(int budget) {
    batchNs = 0;
    int taken = super.take(budget);
    if (taken == 0) {
      file.flushNowAndThen(port);
    }
    return taken;
  }

  @Override
  protected void received(Inbound in) {
    if (batchNs == 0) {
      batchNs = port.nowNs();
    }
    newest =
        file.write(
            sinceEpochNs + batchNs,
            envelope
                .from(in.sourceHigh(), in.sourceLow(), in.sourcePort())
                .to(in.localHigh(), in.localLow())
                .marked(
                    Math.max(in.trafficClass(), 0),
                    in.hopLimit() < 0 ? UNKNOWN_HOP_LIMIT : in.hopLimit()),
            in.buffer(),
            in.at(),
            in.length());
    handOver(in);
  }

  @Override
  public void send(Transmit train) {
    // The time is read before sending: a response must not be captured with an earlier time than
    // its request.
    long now = port.nowNs();
    // After sending, the datagrams have their ICRCs, as they were sent.
    port.send(train);
    int from = train.sourcePort() == 0 ? udpPort : train.sourcePort();
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      writeSent(now, train.path(), from, train.buffer(), at, size);
      at += size;
    }
  }

  private void writeSent(long nowNs, Path path, int from, ByteBuffer buffer, int at, int size) {
    newest =
        file.write(
            sinceEpochNs + nowNs,
            envelope
                .from(path.localHigh(), path.localLow(), from)
                .to(path.remoteHigh(), path.remoteLow())
                .marked(path.trafficClass(), path.hopLimit()),
            buffer,
            at,
            size);
  }

  @Override
  public void befell(String fate) {
    file.note(newest, fate);
  }

  @Override
  public void lost(Path path, ByteBuffer buffer, int at, int length, String fate) {
    lost.put(0, buffer, at, length);
    if (length > Icrc.SIZE) {
      sealer.seal(path, udpPort, 0, lost, 0, length);
    }
    writeSent(port.nowNs(), path, udpPort, lost, 0, length);
    file.note(newest, fate);
  }

  /**
   * Closes the port and completes the file; idempotent.
   *
   * @throws VerbsException EIO if the file is incomplete; the port is closed nevertheless
   */
  @Override
  public void close() {
    port.close();
    if (closed) {
      return;
    }
    closed = true;
    file.leave();
  }
}
