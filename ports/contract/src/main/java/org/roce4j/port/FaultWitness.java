package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Path;

/** A port that is informed of faults that a port above it applies. */
public interface FaultWitness {
  /** Ignores faults. */
  FaultWitness NONE =
      new FaultWitness() {
        @Override
        public void befell(String fate) {}

        @Override
        public void lost(Path path, ByteBuffer buffer, int at, int length, String fate) {}
      };

  /**
   * The datagram that the port received or sent last has met a fault.
   *
   * @param fate description, such as {@code duplicated by rule 1 (duplicate nth=3)}
   */
  void befell(String fate);

  /**
   * A datagram is dropped instead of sent.
   *
   * @param buffer holds the datagram from the BTH on; the room of the ICRC is not written yet
   */
  void lost(Path path, ByteBuffer buffer, int at, int length, String fate);
}
