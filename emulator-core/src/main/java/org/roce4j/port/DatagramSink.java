package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;

/** Takes received datagrams; the argument is reused after the call. */
@FunctionalInterface
public interface DatagramSink {
  /** A datagram has arrived; {@code inbound} and its bytes are the port's again after the call. */
  void datagram(Inbound inbound);

  /**
   * Tells of a train whose datagrams are handed over next, one by one, not yet judged. A port may
   * do so; it need not.
   *
   * @param at of the first BTH
   * @param segmentSize bytes of every datagram but the last
   * @param length bytes of all
   */
  default void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {}
}
