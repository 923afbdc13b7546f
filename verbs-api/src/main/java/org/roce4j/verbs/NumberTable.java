package org.roce4j.verbs;

import java.util.Arrays;
import java.util.function.ToIntFunction;

/** A table of an enum's constants whose numbers are not their positions. */
final class NumberTable {
  private NumberTable() {}

  /** The constants at their numbers, null between them; a constant with a negative one is not. */
  static <E> E[] of(E[] constants, ToIntFunction<E> number) {
    int most = Arrays.stream(constants).mapToInt(number).max().orElse(-1);
    E[] table = Arrays.copyOf(constants, most + 1);
    Arrays.fill(table, null);
    for (E each : constants) {
      if (number.applyAsInt(each) >= 0) {
        table[number.applyAsInt(each)] = each;
      }
    }
    return table;
  }
}
