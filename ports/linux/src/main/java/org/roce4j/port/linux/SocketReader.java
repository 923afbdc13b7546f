package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IcrcJudge;

/**
 * Reads the sockets of a port, splits trains, judges the ICRC of each datagram and hands it over.
 * Allocates nothing per datagram. Not thread-safe: it belongs to the thread that receives.
 */
final class SocketReader {
  /**
   * The looks of a read while datagrams come one at a time. A thread that waits for the only
   * datagram under way asks again at once, and its way to the program and back takes half as long
   * as a look.
   */
  private static final int PLAIN_LOOKS = 2;

  private final MemorySegment errno;
  private final IcrcJudge judge;
  private final Counters counters;
  private final ReceiveBatch batch;
  private final Inbound inbound = new Inbound();

  /** The time of the last read that found a datagram. */
  private long receivedNs;

  SocketReader(Arena arena, MemorySegment errno, IcrcJudge judge, Counters counters) {
    batch = new ReceiveBatch(arena);
    this.errno = errno;
    this.judge = judge;
    this.counters = counters;
  }

  /** The time of the last read that found a datagram, {@link System#nanoTime}. */
  long receivedNs() {
    return receivedNs;
  }

  /** Hands over the datagrams of a socket, about {@code budget} of them; returns their number. */
  int read(UdpSocket socket, DatagramSink sink, int budget) {
    if (sink.readsNetworkFields()) {
      socket.readFully(errno);
    } else if (socket.plain()) {
      return readPlainly(socket, sink);
    }
    int taken = 0;
    int asked = socket.quiet() ? 1 : ReceiveBatch.SLOTS;
    int got;
    do {
      got = asked == 1 ? batch.receiveOne(socket.fd()) : batch.receive(socket.fd(), asked);
      if (got <= 0) {
        // There is no datagram, or there was the error of an earlier send, which this read has
        // cleared.
        break;
      }
      receivedNs = System.nanoTime();
      for (int slot = 0; slot < got; slot++) {
        batch.open(slot);
        int count = handOver(socket, slot, sink);
        socket.arrived(errno, count, batch.trafficClass());
        taken += count;
      }
    } while (asked > 1 && got == asked && taken < budget);
    if (got <= 0) {
      socket.empty();
    }
    return taken;
  }

  private int readPlainly(UdpSocket socket, DatagramSink sink) {
    for (int look = 1; batch.receivePlain(socket.fd()) < 0; look++) {
      if (look == PLAIN_LOOKS) {
        socket.empty();
        return 0;
      }
    }
    receivedNs = System.nanoTime();
    int count = handOver(socket, 0, sink);
    socket.arrivedPlainly(errno);
    return count;
  }

  /** Hands over a message that was read, datagram by datagram; returns their number. */
  private int handOver(UdpSocket socket, int slot, DatagramSink sink) {
    if (batch.dropsTold()) {
      counters.add(Counter.SOCKET_RECEIVE_DROPPED, socket.dropped(batch.drops()));
    }
    int length = batch.length(slot);
    int size = batch.segmentSize() > 0 ? batch.segmentSize() : Math.max(length, 1);
    SocketAddress.read(batch.names(), batch.name(slot), inbound);
    inbound
        .local(socket.high(), socket.low())
        .heardBy(socket.heardHigh(), socket.heardLow())
        .network(batch.trafficClass(), batch.hopLimit());
    int start = batch.offset(slot);
    if (length > size) {
      sink.expectTrain(batch.buffer(), start, size, length);
    }
    int index = 0;
    int at = 0;
    do {
      inbound.payload(batch.buffer(), batch.payload(), start + at, Math.min(size, length - at));
      judge.judge(inbound, index, receivedNs);
      sink.datagram(inbound);
      index++;
      at += size;
    } while (at < length);
    if (index > 1) {
      counters.increment(Counter.RECEIVED_TRAINS);
    }
    return index;
  }
}
