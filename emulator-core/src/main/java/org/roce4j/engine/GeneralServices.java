package org.roce4j.engine;

import java.util.random.RandomGenerator;
import org.roce4j.engine.cm.CmHost;
import org.roce4j.engine.cm.ConnectionManager;
import org.roce4j.engine.cm.Outgoing;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.qp.DeviceFacts;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.PKey;
import org.roce4j.wire.Psn;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.mad.Mad;

/**
 * Queue pair 1, the general services interface. It passes the payload of arriving packets to the
 * connection manager and sends the connection manager's messages. It belongs to the engine that the
 * low bits of the number 1 name, like every other queue pair. It has no queues and no window: each
 * message is a train of one datagram.
 */
final class GeneralServices implements CmHost {
  private final DeviceFacts device;
  private final RandomGenerator random;
  private final Counters counters;
  private final DeadlineHeap deadlines;

  /**
   * Created at the first use, so that a device without connections draws no random numbers for it.
   */
  private ConnectionManager manager;

  /** The PSN of the next MAD. */
  private int psn;

  GeneralServices(
      DeviceFacts device, RandomGenerator random, Counters counters, DeadlineHeap deadlines) {
    this.device = device;
    this.random = random;
    this.counters = counters;
    this.deadlines = deadlines;
  }

  ConnectionManager manager() {
    if (manager == null) {
      manager = new ConnectionManager(this);
    }
    return manager;
  }

  /**
   * Handles a packet to queue pair 1.
   *
   * @return the counter of the reason for dropping it; null if it was accepted
   */
  Counter handlePacket(long nowNs, InboundPacket packet, Inbound inbound) {
    if (packet.opcode() != Opcode.UD_SEND_ONLY) {
      return Counter.WRONG_SERVICE;
    }
    if (!PKey.match(packet.pkey(), PKey.DEFAULT)) {
      return Counter.BAD_PKEY;
    }
    if (packet.qkey() != Mad.QKEY) {
      return Counter.BAD_QKEY;
    }
    manager()
        .handleMad(
            nowNs,
            packet.buffer(),
            packet.payloadAt(),
            packet.payloadLength(),
            inbound.sourceHigh(),
            inbound.sourceLow(),
            inbound.localHigh(),
            inbound.localLow());
    return null;
  }

  boolean hasOutput() {
    return manager != null && manager.hasOutput();
  }

  /** Writes the next datagram into an empty train. */
  void transmit(Transmit out) {
    Outgoing next = manager.pollTransmit();
    int size = OutboundPacket.size(Opcode.UD_SEND_ONLY, Mad.SIZE);
    int at = out.claim(next.path(), UdpSourcePort.ofQp(Mad.QPN), size);
    Bth.put(
        out.buffer(), at, Opcode.UD_SEND_ONLY.code(), false, 0, PKey.DEFAULT, Mad.QPN, false, psn);
    Deth.put(out.buffer(), at + Opcode.UD_SEND_ONLY.dethAt(), Mad.QKEY, Mad.QPN);
    next.mad().emit(out.buffer(), OutboundPacket.payloadAt(Opcode.UD_SEND_ONLY, at));
    out.commit(size);
    psn = Psn.add(psn, 1);
  }

  // ---- for the connection manager

  @Override
  public long caGuid() {
    return device.guid();
  }

  @Override
  public int gidIndex(long high, long low) {
    return device.gidIndex(high, low);
  }

  @Override
  public boolean hasPartition(int pkey) {
    return device.partitionIndex(pkey) >= 0;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public DeadlineHeap deadlines() {
    return deadlines;
  }

  @Override
  public Counters counters() {
    return counters;
  }
}
