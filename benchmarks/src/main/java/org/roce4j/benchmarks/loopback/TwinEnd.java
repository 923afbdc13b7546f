package org.roce4j.benchmarks.loopback;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.roce4j.port.linux.PlainUdp;
import org.roce4j.verbs.Gid;

/**
 * The twin: plain UDP that does what RoCEv2 must do at least. A stream is cut into datagrams of a
 * full path MTU with BTH and ICRC, sent in trains, with a CRC-32 on both sides and one copy into
 * place; nothing is acknowledged on the wire. A ping-pong is one bare datagram each way.
 */
final class TwinEnd implements End {
  private static final int HEADER = 12;
  private static final int PAYLOAD = 4096;
  private static final int PACKET = HEADER + PAYLOAD + 4;
  private static final int TRAIN = 65507 / PACKET;
  private static final int WINDOW = 512;
  private static final int REGION = 1 << 20;
  private static final int PING = HEADER + 64 + 4;
  private static final long LOST_NS = 50_000_000;
  private static final long WAIT_NS = 20_000_000;

  private final Workload workload;
  private final SharedPage shared;
  private final PlainUdp socket;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.nativeOrder());
  private final MemorySegment bytes = MemorySegment.ofBuffer(buffer);
  private final MemorySegment region = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(REGION));
  private final CRC32 crc = new CRC32();
  private final Samples samples = new Samples();
  private long sent;
  private int landedAt;

  TwinEnd(Workload workload, SharedPage shared, Gid own, Gid peer, int udpPort) {
    this.workload = workload;
    this.shared = shared;
    socket =
        new PlainUdp(
            own, peer, udpPort, workload.latency() ? 0 : PACKET, workload.events() ? WAIT_NS : 0);
  }

  @Override
  public String address() {
    return "twin";
  }

  @Override
  public void connect(String peer) {}

  @Override
  public Measurement active(long durationNs) {
    samples.begin();
    Measurement result = workload.latency() ? ping(durationNs) : stream(durationNs);
    shared.finishRun();
    return result;
  }

  private Measurement stream(long durationNs) {
    long start = System.nanoTime();
    long before = shared.received();
    sent = before;
    long now = start;
    while (now - start < durationNs) {
      if (sent + TRAIN - shared.received() > WINDOW) {
        awaitRoom();
      }
      for (int at = 0; at < TRAIN * PACKET; at += PACKET) {
        buffer.putInt(at + HEADER + PAYLOAD, checksum(at));
      }
      if (socket.send(bytes, TRAIN * PACKET) > 0) {
        sent += TRAIN;
      }
      now = System.nanoTime();
    }
    long packets = shared.received() - before;
    return samples.throughput(packets * PAYLOAD, now - start, packets);
  }

  /** Until the receiver has caught up; what is lost must not stop the run. */
  private void awaitRoom() {
    long start = System.nanoTime();
    while (sent + TRAIN - shared.received() > WINDOW) {
      Thread.onSpinWait();
      if (System.nanoTime() - start > LOST_NS) {
        sent = shared.received();
      }
    }
  }

  private int checksum(int packet) {
    crc.reset();
    crc.update(buffer.limit(packet + HEADER + PAYLOAD).position(packet + HEADER));
    buffer.clear();
    return (int) crc.getValue();
  }

  private Measurement ping(long durationNs) {
    long start = System.nanoTime();
    long last = start;
    long packets = 0;
    while (last - start < durationNs) {
      socket.send(bytes, PING);
      packets++;
      while (socket.receive(bytes) < 0 && System.nanoTime() - last < LOST_NS) {
        // Spins, or has slept for WAIT_NS.
      }
      long now = System.nanoTime();
      samples.add(now - last);
      last = now;
    }
    return samples.halfRoundTrip(packets);
  }

  @Override
  public void passive() {
    long round = shared.finished();
    while (shared.finished() == round) {
      int length = socket.receive(bytes);
      if (length <= 0) {
        continue;
      }
      if (workload.latency()) {
        socket.send(bytes, length);
      } else {
        land(length);
      }
    }
  }

  private void land(int length) {
    int taken = 0;
    for (int at = 0; at + PACKET <= length; at += PACKET) {
      if (checksum(at) != buffer.getInt(at + HEADER + PAYLOAD)) {
        shared.countDamaged();
      }
      MemorySegment.copy(bytes, at + HEADER, region, landedAt, PAYLOAD);
      landedAt = landedAt + PAYLOAD & REGION - 1;
      taken++;
    }
    shared.received(shared.received() + taken);
  }

  @Override
  public void close() {
    socket.close();
  }
}
