package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Path;

/** A port, when it is to know of faults of datagrams above it. */
public interface FaultWitness {
  /** Knows nothing. */
  FaultWitness NONE =
      new FaultWitness() {
        @Override
        public void befell(String fate) {}

        @Override
        public void lost(Path path, ByteBuffer buffer, int at, int length, String fate) {}
      };

  /**
   * What befell the datagram that the port received last, or sent last.
   *
   * @param fate as people say it: {@code duplicated by rule 1 (duplicate nth=3)}
   */
  void befell(String fate);

  /**
   * A datagram was to be sent and will not be.
   *
   * @param buffer from BTH on, with room for the ICRC, which is not written yet
   */
  void lost(Path path, ByteBuffer buffer, int at, int length, String fate);
}
