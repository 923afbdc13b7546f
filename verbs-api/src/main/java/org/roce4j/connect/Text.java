package org.roce4j.connect;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** Text as UTF-8 without a terminating NUL. Invalid input is refused, not replaced. */
final class Text {
  private Text() {}

  /** Throws EILSEQ if the text has an unpaired surrogate. */
  static byte[] encode(String text) {
    try {
      ByteBuffer utf8 = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[utf8.remaining()];
      utf8.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new VerbsException(
          Errno.EILSEQ, "the text has half of a surrogate pair; send it as bytes", e);
    }
  }

  /** Throws EILSEQ if the bytes are not UTF-8. */
  static String decode(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new VerbsException(
          Errno.EILSEQ,
          Wording.of(
              "these %d bytes are no UTF-8 text; receive them as bytes, or as the record that the"
                  + " peer sent",
              bytes.length),
          e);
    }
  }
}
