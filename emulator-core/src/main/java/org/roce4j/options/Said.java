package org.roce4j.options;

import java.util.HashMap;
import java.util.Map;

/**
 * What the words of one rule have said so far. A rule that says two things of one is refused,
 * because only one of them could hold.
 */
public final class Said {
  private final Map<String, Word> byThing = new HashMap<>();

  /**
   * Takes a word.
   *
   * @param things what it determines, such as its key
   * @throws org.roce4j.verbs.VerbsException EINVAL if an earlier word determines one of them
   */
  public void once(Word word, String... things) {
    for (String thing : things) {
      Word before = byThing.putIfAbsent(thing, word);
      if (before != null) {
        throw Quantity.refuse("%s: %s is there already", word, before);
      }
    }
  }
}
