package org.roce4j.tools.perf.exchange;

import org.roce4j.tools.peer.PeerConnection;

/** A line that carries the messages of the exchange in order. Used by one thread. */
public interface Line extends AutoCloseable {
  /** Sends a message. */
  void write(byte[] message);

  /**
   * Receives a message of {@code length} bytes.
   *
   * @param what the message, for people
   */
  byte[] read(int length, String what);

  /** From now on {@link #spoke} tells whether the next message has come. */
  void watch();

  /** Whether the peer has sent a message, or hung up, since {@link #watch}. */
  boolean spoke();

  /** The peer's address in messages. */
  String peer();

  /** Whether keys are text, and a last word ends the exchange. */
  boolean textual();

  @Override
  void close();

  /** Over TCP. */
  static Line over(PeerConnection connection) {
    return new Line() {
      @Override
      public void write(byte[] message) {
        connection.write(message);
      }

      @Override
      public byte[] read(int length, String what) {
        return connection.read(length, what);
      }

      @Override
      public void watch() {
        connection.watch();
      }

      @Override
      public boolean spoke() {
        return connection.spoke();
      }

      @Override
      public String peer() {
        return connection.peer();
      }

      @Override
      public boolean textual() {
        return true;
      }

      @Override
      public void close() {
        connection.close();
      }
    };
  }
}
