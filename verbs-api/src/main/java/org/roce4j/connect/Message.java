package org.roce4j.connect;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.roce4j.verbs.VerbsException;

/** A message that came, copied out of the connection's memory. Immutable but for its bytes. */
public final class Message {
  private final byte[] bytes;
  private final OptionalInt immediate;
  private final DatagramAddress sender;

  Message(byte[] bytes, OptionalInt immediate, DatagramAddress sender) {
    this.bytes = bytes;
    this.immediate = immediate;
    this.sender = sender;
  }

  /** Its bytes; the caller may change them. */
  public byte[] bytes() {
    return bytes;
  }

  /** Its bytes, read-only. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  /**
   * Its bytes as UTF-8 text.
   *
   * @throws VerbsException EILSEQ if they are none
   */
  public String text() {
    return Text.decode(bytes);
  }

  /**
   * The record that was sent.
   *
   * @throws VerbsException EBADMSG if another was, or none
   */
  public <R extends Record> R as(Class<R> type) {
    return RecordCodec.of(type).decode(bytes);
  }

  /** The immediate data, where the peer sent some; of an RDMA WRITE there are no bytes. */
  public OptionalInt immediate() {
    return immediate;
  }

  /** Who sent it; null on a connection, where it was the peer. */
  public DatagramAddress sender() {
    return sender;
  }

  @Override
  public String toString() {
    return "message of "
        + bytes.length
        + " bytes"
        + (immediate.isPresent() ? " with immediate data " + immediate.getAsInt() : "")
        + (sender == null ? "" : " from " + sender);
  }
}
