package org.roce4j.tools.pingpong;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/**
 * The message by which {@code ibv_xsrq_pingpong} announces a pair of queue pairs: {@code
 * lid:receiving qpn:sending qpn:psn:srqn:gid} in 66 bytes with a NUL at the end.
 *
 * <pre>
 * 0000:000011:000012:a1b2c3:000003:00000000000000000000ffff0a4d0002\0
 * </pre>
 *
 * @param target the queue pair that receives, with the first PSN and the GID of both
 * @param senderQpn the queue pair that sends, 24 bits
 * @param srqn the shared receive queue that messages to the sender of this are to name, 24 bits
 */
record XrcAddress(ExchangedAddress target, int senderQpn, int srqn) {
  /** Bytes of the message. */
  static final int LENGTH = 66;

  private static final Pattern TEXT =
      Pattern.compile(
          "([0-9a-fA-F]{1,4})" + ":([0-9a-fA-F]{1,6})".repeat(4) + ":([0-9a-fA-F]{32})\0.*",
          Pattern.DOTALL);

  /** The message. */
  byte[] encode() {
    String text =
        Wording.of(
            "%04x:%06x:%06x:%06x:%06x:%s\0",
            target.lid(), target.qpn(), senderQpn, target.psn(), srqn, target.gid().toHex());
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a message; digits of either case, as {@code sscanf} does. */
  static Optional<XrcAddress> decode(byte[] message) {
    Matcher fields = TEXT.matcher(new String(message, StandardCharsets.ISO_8859_1));
    if (message.length != LENGTH || !fields.matches()) {
      return Optional.empty();
    }
    Gid gid = Gid.ofHex(fields.group(6));
    return Optional.of(
        new XrcAddress(
            new ExchangedAddress(number(fields, 1), number(fields, 2), number(fields, 4), gid),
            number(fields, 3),
            number(fields, 5)));
  }

  private static int number(Matcher fields, int group) {
    return Integer.parseInt(fields.group(group), 16);
  }
}
