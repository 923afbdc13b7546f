package org.roce4j.verbs.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The name that a mistyped one most likely means. */
class NearestNameTest {
  private final SplittableRandom draw = new SplittableRandom(1);

  /** Each slip of a key is one step: a letter more, a letter less, another, two in wrong order. */
  @Test
  void eachSlipIsOneStep() {
    for (int round = 0; round < 500; round++) {
      String word = word(1 + draw.nextInt(9));
      for (String slip : slips(word)) {
        assertEquals(1, NearestName.distance(word, slip), word + " and " + slip);
        assertEquals(1, NearestName.distance(slip, word), slip + " and " + word);
      }
      assertEquals(0, NearestName.distance(word, word), word);
    }
  }

  /** Slips in different places add up, also where two letters are swapped twice. */
  @Test
  void slipsApartAddUp() {
    for (int round = 0; round < 500; round++) {
      String left = word(1 + draw.nextInt(6));
      String right = word(1 + draw.nextInt(6));
      for (String one : slips(left)) {
        for (String two : slips(right)) {
          assertEquals(
              2,
              NearestName.distance(left + "------" + right, one + "------" + two),
              () -> left + right + " and " + one + two);
        }
      }
    }
  }

  /** Two steps are a slip, and in a long name a third of its letters; the nearest is meant. */
  @Test
  void whatIsTooFarIsNotMeant() {
    List<String> known = List.of("duplicate", "drop", "delay");
    assertEquals(Optional.of("drop"), NearestName.of("dorp", known));
    assertEquals(Optional.of("drop"), NearestName.of("dr", known));
    assertEquals(Optional.empty(), NearestName.of("d", known));
    assertEquals(Optional.of("delay"), NearestName.of("dleya", known));
    assertEquals(Optional.of("duplicate"), NearestName.of("duplexxte", known));
    assertEquals(Optional.empty(), NearestName.of("duplxxxxe", known));
    assertEquals(Optional.empty(), NearestName.of("drop", List.of()));
  }

  private String word(int length) {
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < length; i++) {
      word.append((char) ('a' + draw.nextInt(26)));
    }
    return word.toString();
  }

  private List<String> slips(String word) {
    int at = draw.nextInt(word.length());
    String before = word.substring(0, at);
    String after = word.substring(at + 1);
    char letter = word.charAt(at);
    List<String> slips =
        new ArrayList<>(
            List.of(
                before + after,
                before + letter + "#" + after,
                before + Character.toUpperCase(letter) + after));
    if (!after.isEmpty() && after.charAt(0) != letter) {
      slips.add(before + after.charAt(0) + letter + after.substring(1));
    }
    return slips;
  }
}
