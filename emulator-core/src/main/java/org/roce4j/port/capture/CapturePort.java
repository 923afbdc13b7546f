package org.roce4j.port.capture;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.PortOptions;
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
public final class CapturePort implements Port {
  private static final int UNKNOWN_HOP_LIMIT = 64;

  private final Port port;
  private final int udpPort;
  private final CaptureFile file;
  private final long sinceEpochNs;
  private final DatagramSink tap = this::received;
  private DatagramSink sink;
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
    this.port = port;
    this.udpPort = udpPort;
    this.file = file;
    Instant now = clock.instant();
    sinceEpochNs = now.getEpochSecond() * 1_000_000_000L + now.getNano() - port.nowNs();
  }

  @Override
  public PortCapabilities capabilities() {
    return port.capabilities();
  }

  @Override
  public void adopt() {
    port.adopt();
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    this.sink = sink;
    batchNs = 0;
    int taken = port.receive(tap, budget);
    this.sink = null;
    if (taken == 0) {
      file.flushNowAndThen(port);
    }
    return taken;
  }

  private void received(Inbound in) {
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
    sink.datagram(in);
  }

  @Override
  public void send(Transmit train) {
    // Afterwards the datagrams are sealed, in the way they really went.
    port.send(train);
    if (train.isEmpty()) {
      return;
    }
    long now = port.nowNs();
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

  @Override
  public void await(long timeoutNs) {
    port.await(timeoutNs);
  }

  @Override
  public void wakeup() {
    port.wakeup();
  }

  @Override
  public long nowNs() {
    return port.nowNs();
  }

  @Override
  public long receivedNs() {
    return port.receivedNs();
  }

  @Override
  public Counters counters() {
    return port.counters();
  }

  @Override
  public void join(long groupHigh, long groupLow) {
    port.join(groupHigh, groupLow);
  }

  @Override
  public void leave(long groupHigh, long groupLow) {
    port.leave(groupHigh, groupLow);
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
