package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;

/** Receives the datagrams that arrive. */
@FunctionalInterface
public interface DatagramSink {
  /** A datagram has arrived. The port reuses {@code inbound} and its bytes after the call. */
  void datagram(Inbound inbound);

  /**
   * Announces a train: its datagrams follow one by one; their ICRCs are not judged yet. Ports need
   * not call this.
   *
   * @param at index of the first BTH
   * @param segmentSize bytes of each datagram except the last
   * @param length bytes of the whole train
   */
  default void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {}

  /**
   * Whether it reads TOS and TTL of every datagram. If not, a port may leave them unknown, except
   * that senders which use ECN must have their TOS told.
   */
  default boolean readsNetworkFields() {
    return true;
  }
}
