package org.roce4j.port.fault;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;

/** A copy of a datagram that a {@link FaultPort} holds back. */
final class HeldDatagram {
  private static final int USUAL_CAPACITY = 8192;

  private ByteBuffer buffer = ByteBuffer.allocateDirect(USUAL_CAPACITY);
  private MemorySegment memory = MemorySegment.ofBuffer(buffer);
  private int length;

  /** The path to send it on; null for a received datagram. */
  Path path;

  int sourcePortHint;

  /** The text for the witness when it is sent; null: none. */
  String told;

  long dueNs;

  /** Whether to send it with a wrong ICRC. */
  boolean spoiled;

  /** The count of passed datagrams of its direction at which it is released. */
  long duePassed;

  private long sourceHigh;
  private long sourceLow;
  private int sourcePort;
  private long localHigh;
  private long localLow;
  private long heardHigh;
  private long heardLow;
  private int trafficClass;
  private int hopLimit;
  private IcrcVerdict icrc;

  void copy(ByteBuffer from, int at, int size) {
    if (size > buffer.capacity()) {
      buffer = ByteBuffer.allocateDirect(size);
      memory = MemorySegment.ofBuffer(buffer);
    }
    buffer.put(0, from, at, size);
    length = size;
  }

  void copy(Inbound in) {
    copy(in.buffer(), in.at(), in.length());
    comesAs(in);
  }

  /** The buffer to write a forged packet into, before {@link #forged}. */
  ByteBuffer room() {
    return buffer;
  }

  /**
   * The buffer holds a forged packet, which has the addresses of another datagram and a right ICRC.
   */
  void forged(Inbound in, int size) {
    length = size;
    comesAs(in);
    icrc = IcrcVerdict.RIGHT;
  }

  private void comesAs(Inbound in) {
    path = null;
    sourceHigh = in.sourceHigh();
    sourceLow = in.sourceLow();
    sourcePort = in.sourcePort();
    localHigh = in.localHigh();
    localLow = in.localLow();
    heardHigh = in.heardHigh();
    heardLow = in.heardLow();
    trafficClass = in.trafficClass();
    hopLimit = in.hopLimit();
    icrc = in.icrc();
  }

  void restore(Inbound in) {
    in.payload(buffer, memory, 0, length)
        .source(sourceHigh, sourceLow, sourcePort)
        .local(localHigh, localLow)
        .heardBy(heardHigh, heardLow)
        .network(trafficClass, hopLimit)
        .icrc(icrc);
  }

  /** Corrects the ICRC verdict and its counter, because the port judged before the damage. */
  void worsen(Counters counters) {
    if (icrc == IcrcVerdict.RIGHT || icrc == IcrcVerdict.SOLVED) {
      counters.increment(Counter.ICRC_ERROR);
      icrc = IcrcVerdict.WRONG;
    }
  }

  ByteBuffer buffer() {
    return buffer;
  }

  int length() {
    return length;
  }
}
