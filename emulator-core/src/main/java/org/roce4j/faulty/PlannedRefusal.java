package org.roce4j.faulty;

import org.roce4j.verbs.Errno;

/**
 * The refusal of a call by the plan.
 *
 * @param rule rule of the plan
 * @param index index of the refused request in a call that posts; those before it are posted
 */
record PlannedRefusal(VerbsRule rule, Errno errno, int index) {
  /** The reason in words. */
  String why(String call) {
    String request = index == 0 ? "" : "request " + index + " of ";
    return "a plan of faults refuses " + request + call + ": " + rule;
  }
}
