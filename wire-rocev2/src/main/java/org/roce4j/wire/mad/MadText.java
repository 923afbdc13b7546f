package org.roce4j.wire.mad;

/** Names of small numbers. */
final class MadText {
  private MadText() {}

  /** The name at an index, or the number if there is no name. */
  static String of(int index, String... names) {
    return index >= 0 && index < names.length ? names[index] : Integer.toString(index);
  }
}
