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

  /** Replaces the GIDs in the first {@code length} bytes; returns their number. */
  int change(byte[] bytes, int length) {
    int changed = 0;
    for (int at = 0; at < length; at++) {
      int size = changeAt(bytes, at, length);
      if (size > 0) {
        changed++;
        at += size - 1;
      }
    }
    return changed;
  }

  private int changeAt(byte[] bytes, int at, int length) {
    for (Map.Entry<byte[], byte[]> spelling : there.entrySet()) {
      byte[] here = spelling.getKey();
      if (at + here.length <= length && startsWith(bytes, at, here)) {
        System.arraycopy(spelling.getValue(), 0, bytes, at, here.length);
        return here.length;
      }
    }
    return 0;
  }

  private static boolean startsWith(byte[] bytes, int at, byte[] wanted) {
    return Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length);
  }
}
