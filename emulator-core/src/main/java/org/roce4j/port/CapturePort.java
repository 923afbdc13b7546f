package org.roce4j.port;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.UdpHeader;

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
  private static final int HEADERS = Ipv6Header.SIZE + UdpHeader.SIZE;
  private static final int UNKNOWN_HOP_LIMIT = 64;
  private static final long FLUSH_NS = 200_000_000;
  private static final int LONGEST = 1 << 16;

  private final Port port;
  private final int udpPort;
  private final CaptureWriter writer;
  private final int snapLength;
  private final Path file;
  private final long sinceEpochNs;
  private final Icrc icrc = new Icrc();
  private final ByteBuffer frame = ByteBuffer.allocateDirect(HEADERS + LONGEST);
  private final DatagramSink tap = this::received;
  private DatagramSink sink;
  private IOException failure;
  private boolean unflushed;
  private long flushedNs;
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
    this.port = port;
    this.udpPort = udpPort;
    this.file = file;
    this.snapLength = snapLength;
    try {
      writer = CaptureWriter.create(file, LinkType.RAW, snapLength);
    } catch (IOException e) {
      String why =
          switch (e) {
            case AccessDeniedException denied -> "permission denied";
            case NoSuchFileException missing -> "it cannot be made there";
            default -> e.toString();
          };
      throw new VerbsException(Errno.EIO, "cannot capture into " + file + " (" + why + ")", e);
    }
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
    if (taken == 0 && unflushed) {
      flushNowAndThen();
    }
    return taken;
  }

  private void received(Inbound in) {
    if (batchNs == 0) {
      batchNs = port.nowNs();
    }
    write(
        batchNs,
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
      write(
          now,
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

  private void write(
      long now,
      long sourceHigh,
      long sourceLow,
      int sourcePort,
      long destinationHigh,
      long destinationLow,
      int trafficClass,
      int hopLimit,
      ByteBuffer buffer,
      int at,
      int length) {
    if (failure != null || closed) {
      return;
    }
    int udpLength = UdpHeader.SIZE + length;
    UdpHeader.put(frame, Ipv6Header.SIZE, sourcePort, udpPort, udpLength);
    int ip;
    if (GidAddress.isIpv4Mapped(destinationHigh, destinationLow)) {
      int source = GidAddress.ipv4(sourceLow);
      int destination = GidAddress.ipv4(destinationLow);
      int identification =
          icrc.solveIdentification(source, destination, sourcePort, udpPort, buffer, at, length);
      ip = Ipv6Header.SIZE - Ipv4Header.SIZE;
      Ipv4Header.put(
          frame,
          ip,
          trafficClass,
          Ipv4Header.SIZE + udpLength,
          Math.max(identification, 0),
          Ipv4Header.DONT_FRAGMENT,
          hopLimit,
          source,
          destination);
    } else {
      ip = 0;
      Ipv6Header.put(
          frame,
          ip,
          trafficClass,
          0,
          udpLength,
          hopLimit,
          sourceHigh,
          sourceLow,
          destinationHigh,
          destinationLow);
    }
    int packet = HEADERS - ip + length;
    int kept = Math.min(packet, snapLength) - (HEADERS - ip);
    if (kept > 0) {
      frame.put(HEADERS, buffer, at, kept);
    }
    try {
      writer.write(sinceEpochNs + now, frame, ip, packet);
      unflushed = true;
    } catch (IOException e) {
      failure = e;
    }
  }

  /** In quiet moments, so that the file can be read while the port is open. */
  private void flushNowAndThen() {
    long now = port.nowNs();
    if (now - flushedNs < FLUSH_NS || closed) {
      return;
    }
    flushedNs = now;
    unflushed = false;
    try {
      writer.flush();
    } catch (IOException e) {
      failure = e;
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
    try {
      writer.close();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
    if (failure != null) {
      throw new VerbsException(
          Errno.EIO, "the capture " + file + " is incomplete (" + failure + ")", failure);
    }
  }
}
