package org.roce4j.benchmarks.limit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32;
import org.HdrHistogram.Histogram;
import org.roce4j.verbs.Gid;

/**
 * One side of plain UDP that does the least that RoCEv2 must do. A stream is cut into datagrams of
 * a path MTU, or of a message if that is smaller, with room for BTH and ICRC; nothing is
 * acknowledged on the wire. A ping-pong is one bare datagram each way. Used by one thread.
 */
public final class Twin implements AutoCloseable {
  private static final int HEADER = 12;
  private static final int TRAILER = 4;
  private static final int LARGEST_DATAGRAM = 65_507;
  private static final int MOST_SEGMENTS = 64;
  private static final int MOST_IN_FLIGHT = 512;
  private static final int LEAST_TRAINS = 4;
  private static final int REGION = 1 << 20;
  private static final long LOST_NS = 50_000_000L;

  /** One may have begun before the last packet came. */
  private static final int LOOKS = 2;

  private static final long WAIT_NS = 20_000_000L;
  private static final int LOOK_EVERY = 64;
  private static final long LONGEST_NS = 100_000_000_000L;

  private final TwinKind kind;
  private final int payload;
  private final int packet;
  private final int train;
  private final SharedPage shared;
  private final PlainUdp socket;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.nativeOrder());
  private final MemorySegment bytes = MemorySegment.ofBuffer(buffer);
  private final MemorySegment region = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(REGION));
  private final CRC32 crc = new CRC32();
  private final Histogram halves = new Histogram(LONGEST_NS, 3);
  private int window = MOST_IN_FLIGHT;
  private long sentPackets;
  private long lostPackets;
  private int landedAt;

  /**
   * Binds a socket.
   *
   * @param page a file of a page that both sides map
   * @param port UDP port of both sides
   * @param payload bytes of payload in a datagram
   * @param sleeps whether to block in the kernel instead of spinning
   */
  public Twin(TwinKind kind, Path page, Gid own, Gid peer, int port, int payload, boolean sleeps) {
    this.kind = kind;
    this.payload = payload;
    this.packet = HEADER + payload + TRAILER;
    boolean trains = kind == TwinKind.WORK || kind == TwinKind.TRAINS;
    this.train = trains ? Math.clamp(LARGEST_DATAGRAM / packet, 1, MOST_SEGMENTS) : 1;
    try {
      this.shared = new SharedPage(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.socket = new PlainUdp(own, peer, port, trains ? packet : 0, sleeps ? WAIT_NS : 0);
  }

  /** Bytes of the file of {@link #Twin}. */
  public static int pageBytes() {
    return SharedPage.BYTES;
  }

  /**
   * Sends for {@code durationNs}; returns payload in Gb/s, or the median half round trip in
   * microseconds.
   */
  public double send(long durationNs) {
    return kind == TwinKind.PING_PONG ? ping(durationNs) : stream(durationNs);
  }

  private double stream(long durationNs) {
    long start = System.nanoTime();
    long before = shared.received();
    long sent = before;
    long now = start;
    while (now - start < durationNs) {
      if (sent + train - shared.received() > window) {
        sent = awaitRoom(sent, start + durationNs);
      }
      if (kind == TwinKind.WORK) {
        for (int at = 0; at < train * packet; at += packet) {
          buffer.putInt(at + HEADER + payload, checksum(at));
        }
      }
      if (socket.send(bytes, (long) train * packet) > 0) {
        sent += train;
        sentPackets += train;
      }
      now = System.nanoTime();
    }
    return (shared.received() - before) * payload * 8.0 / (now - start);
  }

  /**
   * Until the receiver has caught up. When it has looked meanwhile and found nothing more, the rest
   * is lost, for want of room: less is in flight from now on. A receiver that does not run is
   * waited for, until the run is over.
   */
  private long awaitRoom(long sent, long endNs) {
    long looks = shared.looks();
    while (sent + train - shared.received() > window && System.nanoTime() - endNs < 0) {
      Thread.onSpinWait();
      if (shared.looks() - looks >= LOOKS) {
        long received = shared.received();
        lostPackets += sent - received;
        window = Math.max(LEAST_TRAINS * train, window / 2);
        return received;
      }
    }
    return sent;
  }

  private int checksum(int at) {
    crc.reset();
    crc.update(buffer.limit(at + HEADER + payload).position(at + HEADER));
    buffer.clear();
    return (int) crc.getValue();
  }

  private double ping(long durationNs) {
    halves.reset();
    long start = System.nanoTime();
    long last = start;
    while (last - start < durationNs) {
      socket.send(bytes, packet);
      while (socket.receive(bytes) < 0 && System.nanoTime() - last < LOST_NS) {
        // Spins, or has slept for WAIT_NS.
      }
      long now = System.nanoTime();
      halves.recordValue(Math.min(LONGEST_NS, (now - last) / 2));
      last = now;
    }
    return halves.getValueAtPercentile(50) / 1e3;
  }

  /** Receives, and replies in a ping-pong, until the other side has ended. */
  public void serve(BooleanSupplier over) {
    int idle = 0;
    while (true) {
      int length = socket.receive(bytes);
      if (length > 0) {
        take(length);
        continue;
      }
      shared.countLook();
      if (++idle % LOOK_EVERY == 0 || kind == TwinKind.PING_PONG) {
        if (over.getAsBoolean()) {
          return;
        }
      }
    }
  }

  private void take(int length) {
    switch (kind) {
      case PING_PONG -> socket.send(bytes, length);
      case WORK -> land(length);
      case TRAINS, SINGLES -> shared.received(shared.received() + length / packet);
    }
  }

  private void land(int length) {
    int taken = 0;
    for (int at = 0; at + packet <= length; at += packet) {
      if (checksum(at) != buffer.getInt(at + HEADER + payload)) {
        shared.countDamaged();
      }
      if (landedAt + payload > REGION) {
        landedAt = 0;
      }
      MemorySegment.copy(bytes, at + HEADER, region, landedAt, payload);
      landedAt += payload;
      taken++;
    }
    shared.received(shared.received() + taken);
  }

  /** The share of the packets sent here that were lost or came damaged. */
  public double lost() {
    return sentPackets == 0 ? 0 : (double) (lostPackets + shared.damaged()) / sentPackets;
  }

  @Override
  public void close() {
    socket.close();
  }
}
