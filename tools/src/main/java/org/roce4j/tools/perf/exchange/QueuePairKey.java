package org.roce4j.tools.perf.exchange;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.connect.QpAddress;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/**
 * The message by which two perftest programs announce a queue pair to each other: text in 108 bytes
 * with a NUL at the end.
 *
 * <pre>
 * 0000:0001:000011:a1b2c3:00001234:00007f0012345000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:\0
 * lid  out  qpn    psn    rkey     address          gid                                             srqn
 * </pre>
 *
 * @param lid 16 bits, 0 on RoCE
 * @param outReads READs and ATOMICs that the sender lets its peer have outstanding
 * @param qpn 24 bits
 * @param psn the sender's first PSN, 24 bits
 * @param rkey of the memory that the peer may access
 * @param address of that memory
 * @param gid the sender's GID
 * @param srqn number of a shared receive queue, 0 without
 */
public record QueuePairKey(
    int lid, int outReads, int qpn, int psn, int rkey, long address, Gid gid, int srqn)
    implements QpAddress {
  /** Bytes of the message. */
  public static final int LENGTH = 108;

  private static final int BINARY_LENGTH = 56;

  private static final Pattern TEXT =
      Pattern.compile(
          "(\\p{XDigit}{4}):(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):(\\p{XDigit}{8})"
              + ":(\\p{XDigit}{16}):((?:\\p{XDigit}{2}:){16})(\\p{XDigit}{8}):\0");

  /** The same with another LID. */
  public QueuePairKey withLid(int value) {
    return new QueuePairKey(value, outReads, qpn, psn, rkey, address, gid, srqn);
  }

  /** The message over rdma_cm: the C structure, its numbers big-endian. */
  public byte[] encodeBinary() {
    return ByteBuffer.allocate(BINARY_LENGTH)
        .putInt(lid)
        .putInt(outReads)
        .putInt(qpn)
        .putInt(psn)
        .putInt(rkey)
        .putInt(0)
        .putLong(address)
        .putLong(gid.high())
        .putLong(gid.low())
        .putInt(srqn)
        .putInt(0)
        .array();
  }

  /** The key in such a message, if it is one. */
  static Optional<QueuePairKey> decodeBinary(byte[] message) {
    ByteBuffer b = ByteBuffer.wrap(message);
    int lid = b.getInt();
    int outReads = b.getInt();
    int qpn = b.getInt();
    int psn = b.getInt();
    int rkey = b.getInt();
    b.getInt();
    long address = b.getLong();
    Gid gid = new Gid(b.getLong(), b.getLong());
    boolean valid = (lid >>> 16 | qpn >>> 24 | psn >>> 24) == 0;
    return valid
        ? Optional.of(new QueuePairKey(lid, outReads, qpn, psn, rkey, address, gid, b.getInt()))
        : Optional.empty();
  }

  /** The message. */
  public byte[] encode() {
    String text =
        Wording.of(
            "%04x:%04x:%06x:%06x:%08x:%016x:%s%08x:\0",
            lid, outReads, qpn, psn, rkey, address, gid.toHex().replaceAll("(..)", "$1:"), srqn);
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a message. */
  public static Optional<QueuePairKey> decode(byte[] message) {
    Matcher fields = TEXT.matcher(new String(message, StandardCharsets.ISO_8859_1));
    if (!fields.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new QueuePairKey(
            Integer.parseInt(fields.group(1), 16),
            Integer.parseInt(fields.group(2), 16),
            Integer.parseInt(fields.group(3), 16),
            Integer.parseInt(fields.group(4), 16),
            Integer.parseUnsignedInt(fields.group(5), 16),
            Long.parseUnsignedLong(fields.group(6), 16),
            Gid.ofHex(fields.group(7).replace(":", "")),
            Integer.parseUnsignedInt(fields.group(8), 16)));
  }
}
