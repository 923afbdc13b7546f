package org.roce4j.tools.proxy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.roce4j.verbs.Gid;

/**
 * The two GIDs that an end can name, in the forms in which programs send them: 16 bytes (programs
 * written after the manual's example), 32 digits ({@code ibv_rc_pingpong}), 16 pairs of digits with
 * colons (perftest). In each form the replacement has the same length. For one thread.
 */
final class GidSpellings {
  /** The length of the longest form in bytes. */
  static final int LONGEST = 47;

  private final Map<byte[], byte[]> there = new LinkedHashMap<>();

  GidSpellings(Readdressing names) {
    add(names.from(), names.fromThere());
    add(names.to(), names.toThere());
  }

  private void add(Gid here, Gid there) {
    this.there.put(here.toBytes(), there.toBytes());
    this.there.put(text(here.toHex()), text(there.toHex()));
    this.there.put(pairs(here), pairs(there));
  }

  private static byte[] pairs(Gid gid) {
    return text(gid.toHex().replaceAll("(..)(?!$)", "$1:"));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Replaces the GID at an index; returns its length, or 0 if there is none. */
  int changeAt(byte[] bytes, int at, int length) {
    for (Map.Entry<byte[], byte[]> spelling : there.entrySet()) {
      byte[] here = spelling.getKey();
      if (at + here.length <= length && startsWith(bytes, at, here, here.length)) {
        System.arraycopy(spelling.getValue(), 0, bytes, at, here.length);
        return here.length;
      }
    }
    return 0;
  }

  /**
   * The index up to which the bytes are the same whatever follows, if a GID begins at {@code at}.
   */
  int decided(byte[] bytes, int at, int length) {
    int decided = length;
    for (Map.Entry<byte[], byte[]> spelling : there.entrySet()) {
      byte[] here = spelling.getKey();
      if (startsWith(bytes, at, here, Math.min(here.length, length - at))) {
        int different = Arrays.mismatch(here, spelling.getValue());
        decided = different < 0 ? decided : Math.min(decided, at + different);
      }
    }
    return decided;
  }

  private static boolean startsWith(byte[] bytes, int at, byte[] wanted, int length) {
    return Arrays.equals(bytes, at, at + length, wanted, 0, length);
  }
}
