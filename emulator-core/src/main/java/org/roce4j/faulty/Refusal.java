package org.roce4j.faulty;

import org.roce4j.verbs.Errno;

/**
 * That a call fails by plan.
 *
 * @param index of the request that is refused, where the call posts; those before it are posted
 */
record Refusal(Errno errno, int index) {
  /** For people. */
  String why(String call) {
    return index == 0
        ? "a plan of faults refuses " + call
        : "a plan of faults refuses request " + index + " of " + call;
  }
}
