/**
 * The queue pair's state machine: the table of transitions with their attributes, and the machine
 * that owns one requester and one responder. Requester and responder report failures to it, and it
 * makes them flush.
 */
package org.roce4j.engine.qp;
