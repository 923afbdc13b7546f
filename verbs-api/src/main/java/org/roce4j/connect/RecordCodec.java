package org.roce4j.connect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * Encodes records as messages. A message is four bytes that identify the record type, then the
 * components in their order, without padding, numbers in network byte order:
 *
 * <table>
 * <caption>Components</caption>
 * <tr><th>type</th><th>bytes</th></tr>
 * <tr><td>{@code boolean}, {@code byte}</td><td>1; true is 1</td></tr>
 * <tr><td>{@code short}, {@code char}</td><td>2</td></tr>
 * <tr><td>{@code int}, {@code float}</td><td>4; IEEE 754</td></tr>
 * <tr><td>{@code long}, {@code double}</td><td>8; IEEE 754</td></tr>
 * <tr><td>{@code String}</td><td>its length in bytes (4), then UTF-8</td></tr>
 * <tr><td>{@code byte[]}</td><td>its length (4), then the bytes</td></tr>
 * <tr><td>another record</td><td>its components, without the identifying bytes</td></tr>
 * </table>
 *
 * <p>The identifying bytes are the CRC-32 of {@link #signature} in UTF-8, so both programs need a
 * record of the same simple name and the same components; the package may differ. A component must
 * not be null.
 *
 * <p>Thread-safe. The record type is examined once, by reflection. A record in a named module must
 * be public and exported, or its package must be open to this module.
 *
 * @param <R> the record type
 */
public final class RecordCodec<R extends Record> {
  private static final ClassValue<RecordCodec<?>> CODECS =
      new ClassValue<>() {
        @Override
        protected RecordCodec<?> computeValue(Class<?> type) {
          return new RecordCodec<>(type.asSubclass(Record.class));
        }
      };

  private final RecordShape<R> shape;
  private final int name;

  private RecordCodec(Class<R> type) {
    shape = RecordShape.of(type);
    CRC32 crc = new CRC32();
    crc.update(shape.signature().getBytes(StandardCharsets.UTF_8));
    name = (int) crc.getValue();
  }

  /**
   * The codec of a record type.
   *
   * @throws VerbsException EINVAL if the type of a component has no encoding, or reflection is
   *     refused
   */
  @SuppressWarnings("unchecked") // CODECS maps each class to its own codec.
  public static <R extends Record> RecordCodec<R> of(Class<R> type) {
    RequiredArgument.check(type, "type");
    if (!type.isRecord()) {
      throw new VerbsException(
          Errno.EINVAL,
          type.getName() + " is no record: give the class of the record that is sent");
    }
    return (RecordCodec<R>) CODECS.get(type);
  }

  @SuppressWarnings("unchecked") // The codec belongs to the record's class.
  static byte[] encodeAny(Record message) {
    return ((RecordCodec<Record>) of(message.getClass())).encode(message);
  }

  /**
   * The simple name, and the types and names of the components, such as {@code Quote(String
   * symbol,int n)}.
   */
  public String signature() {
    return shape.signature();
  }

  /**
   * Encodes a record.
   *
   * @throws VerbsException EINVAL if a component is null, EILSEQ if a text has an unpaired
   *     surrogate
   */
  public byte[] encode(R message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(name);
      shape.write(RequiredArgument.check(message, "message"), out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory takes all bytes", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Decodes a record.
   *
   * @throws VerbsException EBADMSG if the bytes are not this record, or its constructor throws
   */
  public R decode(byte[] bytes) {
    ByteArrayInputStream all = new ByteArrayInputStream(RequiredArgument.check(bytes, "bytes"));
    DataInputStream in = new DataInputStream(all);
    try {
      if (in.readInt() == name) {
        R read = shape.read(in);
        if (all.available() == 0) {
          return read;
        }
      }
      throw unfit(bytes, null);
    } catch (EOFException e) {
      throw unfit(bytes, e);
    } catch (IOException e) {
      throw new UncheckedIOException("memory gives all bytes", e);
    }
  }

  private VerbsException unfit(byte[] bytes, Exception cause) {
    return new VerbsException(
        Errno.EBADMSG,
        Wording.of(
            "these %d bytes are no %s: the peer sent another record, text or plain bytes; give both"
                + " programs the same record, or receive what was sent",
            bytes.length, signature()),
        cause);
  }
}
