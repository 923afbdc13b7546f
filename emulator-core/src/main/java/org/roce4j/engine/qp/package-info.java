/**
 * The queue pair's state machine: the table of transitions with their attributes, and the machine
 * that owns one requester and one responder. Verdicts climb up to here, flush goes down.
 */
package org.roce4j.engine.qp;
