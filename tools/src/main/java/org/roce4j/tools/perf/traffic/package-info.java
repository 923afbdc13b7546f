/**
 * The traffic of the perftest programs over the verbs API, on any backend. A {@link
 * org.roce4j.tools.perf.traffic.PerfPlan} says what is to be sent, an {@link
 * org.roce4j.tools.perf.traffic.PerfSide} owns the verbs objects of one side, its {@link
 * org.roce4j.tools.perf.traffic.Player} is that side's part of the test, and {@link
 * org.roce4j.tools.perf.traffic.Round} drives it.
 */
package org.roce4j.tools.perf.traffic;
