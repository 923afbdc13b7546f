package org.roce4j.port.capture;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.TappedPort;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.capture.CaptureWriter;

/**
 * Writes every datagram that another port sends and receives into a capture file, as an IP packet
 * of its own, whatever trains carried it. A socket shows no IP header, so one is made up: it says
 * what the datagram was sent with or arrived with; where the kernel hides TOS and TTL they are 0
 * and 64; the IPv4 identification is the one that the ICRC was made with, which is solved for (0
 * when there is none, so that a wrong ICRC stays wrong).
 *
 * <p>What a {@link FaultPort} above this port does is in the file, what one below does is not.
 * Allocates nothing per datagram. Threads: as the port below.
 */
public final class CapturePort extends TappedPort {
  private static final int UNKNOWN_HOP_LIMIT = 64;

  private final int udpPort;
  private final CaptureFile file;
  private final long sinceEpochNs;
  private long batchNs;
  private boolean closed;

  /**
   * Captures into a new file: pcap when its name ends in {@code .pcap}, else pcapng.
   *
   * @param udpPort of every peer, as in {@link PortOptions}
   * @param snapLength bytes to keep of a packet; {@link CaptureWriter#WHOLE_FRAMES} for all
   * @throws VerbsException EIO when the file cannot be created; the port stays open
   */
  public CapturePort(Port port, int udpPort, Path file, int snapLength) {
    this(port, udpPort, file, snapLength, Clock.systemUTC());
  }

  /**
   * @param clock read once, to put the port's own clock in relation to it
   */
  public CapturePort(Port port, int udpPort, Path file, int snapLength, Clock clock) {
    this(port, udpPort, new CaptureFile(file, udpPort, snapLength, 1), clock);
  }

  /**
   * Captures into a file that other ports write too.
   *
   * @param clock read once, to put the port's own clock in relation to it
   */
  public CapturePort(Port port, int udpPort, CaptureFile file, Clock clock) {
    super(port);
    this.udpPort = udpPort;
    this.file = file;
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
    file.write(
        sinceEpochNs + batchNs,
        in.sourceHigh(),
        in.sourceLow(),
        in.sourcePort(),
        in.localHigh(),
        in.localLow(),
        Math.max(in.trafficClass(), 0),
        in.hopLimit() < 0 ? UNKNOWN_HOP_LIMIT : in.hopLimit(),
        in.buffer(),
        in.at(),
        in.length());
    handOver(in);
  }

  @Override
  public void send(Transmit train) {
    // Before: an answer must not be older than what it answers.
    long now = port.nowNs();
    // Afterwards the datagrams are sealed, in the way they really went.
    port.send(train);
    if (train.isEmpty()) {
      return;
    }
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      file.write(
          sinceEpochNs + now,
          train.path().localHigh(),
          train.path().localLow(),
          udpPort,
          train.path().remoteHigh(),
          train.path().remoteLow(),
          train.path().trafficClass(),
          train.path().hopLimit(),
          train.buffer(),
          at,
          size);
      at += size;
    }
  }

  /**
   * Closes the port and completes the file; idempotent.
   *
   * @throws VerbsException EIO when the file is incomplete; the port is closed all the same
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
