package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_sge}: a piece of memory of a request.
 *
 * @param address of the first byte
 * @param length bytes
 * @param lkey of its region; 0 for inline data without a region
 */
public record Sge(long address, int length, int lkey) {
  @Override
  public String toString() {
    return Wording.of(
        "%s bytes at 0x%x of lkey 0x%x", Integer.toUnsignedString(length), address, lkey);
  }
}
