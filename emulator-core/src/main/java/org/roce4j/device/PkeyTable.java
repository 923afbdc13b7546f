package org.roce4j.device;

import java.util.Arrays;
import org.roce4j.verbs.Errno;
import org.roce4j.wire.PKey;

/** The P_Key table of a device. The owner of all engines writes it, any thread reads it. */
final class PkeyTable {
  private static final int MOST = 128;
  private static final int BITS = 0xffff;

  private volatile int[] keys = {PKey.DEFAULT};

  /** Replaces the table as a whole. Returns whether the new table differs. */
  boolean set(int... table) {
    if (table.length < 1 || table.length > MOST) {
      throw Errno.EINVAL.refusal("a P_Key table has 1 to %d entries, not %d", MOST, table.length);
    }
    for (int key : table) {
      if ((key & ~BITS) != 0) {
        throw Errno.EINVAL.refusal("a P_Key has 16 bits, not 0x%x", key);
      }
    }
    boolean another = !Arrays.equals(keys, table);
    keys = table.clone();
    return another;
  }

  int length() {
    return keys.length;
  }

  /** The P_Key at an index; 0 if the entry is empty. */
  int get(int index) {
    int[] now = keys;
    return index >= 0 && index < now.length ? now[index] : 0;
  }
}
