package org.roce4j.tools.perf.traffic;

import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;

/**
 * What one side is to do; both sides have the same.
 *
 * @param size bytes of a message
 * @param iterations messages of each queue pair
 * @param durationNs how long to send instead of counting iterations, or 0
 * @param mtu path MTU
 * @param txDepth requests that a queue pair may have outstanding
 * @param rxDepth receives that a queue pair keeps posted
 * @param postList requests posted in one call
 * @param inline messages up to so many bytes are copied when posted
 * @param signalEvery one completion for so many requests
 * @param ackTimeout exponent: 4.096 us * 2^n
 * @param events sleep until a completion event comes instead of polling
 * @param verify check every byte; sizes of the buffers and WRITE's opcode change for it
 */
public record Plan(
    PerfTest test,
    QpType service,
    int size,
    long iterations,
    long durationNs,
    int queuePairs,
    Mtu mtu,
    int txDepth,
    int rxDepth,
    int postList,
    int inline,
    int signalEvery,
    int ackTimeout,
    boolean events,
    boolean verify) {

  /** Whether a message may be lost for good. */
  public boolean lossy() {
    return service != QpType.RC;
  }

  /** Bytes that the device writes in front of a received message. */
  int headroom() {
    return service == QpType.UD ? 40 : 0;
  }

  /** Packets that carry one message. */
  public long packets() {
    return Math.max(1, (size + mtu.bytes() - 1L) / mtu.bytes());
  }

  /** The verb of the test. */
  public Verb verb() {
    return test.verb();
  }

  /** Whether a server takes receives: of SENDs, or of WRITEs that tell of their arrival. */
  boolean receives() {
    return verb() == Verb.SEND || verify && test == PerfTest.WRITE_BW;
  }

  /** The same for so long, or for the iterations if 0. */
  public Plan lasting(long ns) {
    return new Plan(
        test,
        service,
        size,
        iterations,
        ns,
        queuePairs,
        mtu,
        txDepth,
        rxDepth,
        postList,
        inline,
        signalEvery,
        ackTimeout,
        events,
        verify);
  }

  /** The same over that path MTU. */
  public Plan over(Mtu agreed) {
    return new Plan(
        test,
        service,
        size,
        iterations,
        durationNs,
        queuePairs,
        agreed,
        txDepth,
        rxDepth,
        postList,
        inline,
        signalEvery,
        ackTimeout,
        events,
        verify);
  }
}
