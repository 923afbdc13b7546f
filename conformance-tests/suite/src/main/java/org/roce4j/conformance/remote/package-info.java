/**
 * Dialogues with a device at a UDP address: a {@link org.roce4j.conformance.remote.Subject} is its
 * queue pair with the verbs that a dialogue needs, in this process or behind the TCP agreement of
 * {@link org.roce4j.conformance.remote.TargetServer}; what is said stands in text files, which
 * {@link org.roce4j.conformance.remote.WireDialogues} lists; {@link
 * org.roce4j.conformance.remote.TargetRun} says it and reports.
 */
package org.roce4j.conformance.remote;
