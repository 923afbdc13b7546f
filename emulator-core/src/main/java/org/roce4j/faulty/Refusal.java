package org.roce4j.faulty;

import org.roce4j.verbs.Errno;

/**
 * The refusal of a call by the plan.
 *
 * @param index index of the refused request in a call that posts; those before it are posted
 */
record Refusal(Errno errno, int index) {
  /** The reason in words. */
  String why(String call) {
    return index == 0
        ? "a plan of faults refuses " + call
        : "a plan of faults refuses request " + index + " of " + call;
  }
}
