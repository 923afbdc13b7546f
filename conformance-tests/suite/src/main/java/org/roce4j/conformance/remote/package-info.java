/**
 * Dialogues with a device at a UDP address. A {@link org.roce4j.conformance.remote.Subject} is its
 * queue pair, in this process or behind the TCP agreement of {@link
 * org.roce4j.conformance.remote.TargetServer}. The dialogues are text files, listed by {@link
 * org.roce4j.conformance.remote.WireDialogues}; {@link org.roce4j.conformance.remote.TargetRun}
 * holds them and reports.
 */
package org.roce4j.conformance.remote;
