package org.roce4j.tools.options;

import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.text.Wording;

/** The check of a number that an option gives. */
public final class OptionRange {
  private OptionRange() {}

  /**
   * Refuses a value below {@code least} or above {@code most}.
   *
   * @param most {@link Integer#MAX_VALUE}: the option has no limit of its own
   * @throws ToolFailure naming option, range and value
   */
  public static void check(String option, long value, long least, long most) {
    if (value < least || value > most) {
      String range =
          most == Integer.MAX_VALUE
              ? Wording.of("%d or more", least)
              : Wording.of("%d to %d", least, most);
      throw ToolFailure.usage("%s must be %s, not %d", option, range, value);
    }
  }
}
