package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_moderate_cq}: how long an armed completion queue holds its event back.
 *
 * @param count completions for which one event is enough, 0 to 65535; 0 and 1: each
 * @param periodUs microseconds after the first of them, 0 to 65535; 0: the event comes with the
 *     first completion, whatever {@code count} is
 */
public record CqModeration(int count, int periodUs) {
  /** No event is held back. */
  public static final CqModeration OFF = new CqModeration(0, 0);

  private static final int MOST = 0xffff;

  /**
   * Checks both.
   *
   * @throws VerbsException EINVAL out of range
   */
  public CqModeration {
    RequiredArgument.checkRange(count, 0, MOST, "count");
    RequiredArgument.checkRange(periodUs, 0, MOST, "periodUs");
  }

  /** Whether any event is held back. */
  public boolean on() {
    return count > 1 && periodUs > 0;
  }

  @Override
  public String toString() {
    return Wording.of("an event after %d completions or %d us", count, periodUs);
  }
}
