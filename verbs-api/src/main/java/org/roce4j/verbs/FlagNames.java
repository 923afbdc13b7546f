package org.roce4j.verbs;

/** Names of the bits of a flag word, so that all flag words print alike. */
final class FlagNames {
  private final String[] byBit = new String[Long.SIZE];
  private final String between;

  FlagNames() {
    this("|");
  }

  /**
   * @param between the separator of two names
   */
  FlagNames(String between) {
    this.between = between;
  }

  /** Names one bit. */
  FlagNames name(long flag, String name) {
    byBit[Long.numberOfTrailingZeros(flag)] = name;
    return this;
  }

  /** Renders {@code LOCAL_WRITE|REMOTE_READ}; 0 as {@code 0}; nameless bits in hexadecimal. */
  String render(long flags) {
    if (flags == 0) {
      return "0";
    }
    StringBuilder text = new StringBuilder();
    long nameless = 0;
    for (long rest = flags; rest != 0; rest &= rest - 1) {
      String name = byBit[Long.numberOfTrailingZeros(rest)];
      if (name == null) {
        nameless |= Long.lowestOneBit(rest);
      } else {
        separate(text).append(name);
      }
    }
    if (nameless != 0) {
      separate(text).append("0x").append(Long.toHexString(nameless));
    }
    return text.toString();
  }

  private StringBuilder separate(StringBuilder text) {
    return text.isEmpty() ? text : text.append(between);
  }
}
