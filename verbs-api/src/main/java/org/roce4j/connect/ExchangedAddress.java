package org.roce4j.connect;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/**
 * The message in which the pingpong programs of rdma-core exchange the address of a queue pair:
 * {@code lid:qpn:psn:gid} in 52 bytes with a NUL at the end.
 *
 * <pre>
 * 0000:000011:a1b2c3:00000000000000000000ffff0a4d0002\0
 * </pre>
 *
 * @param lid 16 bits, 0 on RoCE
 * @param qpn 24 bits
 * @param psn the sender's first PSN, 24 bits
 * @param gid the sender's GID; zero if the C program was started without {@code -g}
 */
public record ExchangedAddress(int lid, int qpn, int psn, Gid gid) implements QpAddress {
  /** Length of the message in bytes. */
  public static final int LENGTH = 52;

  private static final Pattern TEXT =
      Pattern.compile(
          "([0-9a-fA-F]{1,4}):([0-9a-fA-F]{1,6}):([0-9a-fA-F]{1,6}):([0-9a-fA-F]{32})\0.*",
          Pattern.DOTALL);

  /** Encodes the message. */
  public byte[] encode() {
    String text = Wording.of("%04x:%06x:%06x:%s\0", lid, qpn, psn, gid.toHex());
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Decodes a message; accepts digits of either case, as {@code sscanf} does. */
  public static Optional<ExchangedAddress> decode(byte[] message) {
    Matcher fields = TEXT.matcher(new String(message, StandardCharsets.ISO_8859_1));
    if (message.length != LENGTH || !fields.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new ExchangedAddress(
            Integer.parseInt(fields.group(1), 16),
            Integer.parseInt(fields.group(2), 16),
            Integer.parseInt(fields.group(3), 16),
            Gid.ofHex(fields.group(4))));
  }
}
