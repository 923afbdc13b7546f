package org.roce4j.connect;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.roce4j.verbs.VerbsException;

/**
 * A received message, copied out of the registered memory. Immutable except for the array of {@link
 * #bytes}.
 */
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
   * Its bytes decoded as UTF-8 text.
   *
   * @throws VerbsException EILSEQ if they are not UTF-8
   */
  public String text() {
    return Text.decode(bytes);
  }

  /**
   * Its bytes decoded as a record.
   *
   * @throws VerbsException EBADMSG if the peer sent another record or no record
   */
  public <R extends Record> R as(Class<R> type) {
    return RecordCodec.of(type).decode(bytes);
  }

  /**
   * The immediate data, if the peer sent any. The message of an RDMA WRITE with immediate data has
   * no bytes.
   */
  public OptionalInt immediate() {
    return immediate;
  }

  /** The sender of a datagram; null on a connection, whose peer is the sender. */
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
