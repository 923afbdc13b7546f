/**
 * Captures for people: one capture, or the captures of both ends joined. Shows connections, lost
 * packets, the states of both queue pairs, and the rules that each packet keeps or breaks, as a
 * page for a browser and as an event log.
 */
package org.roce4j.wire.view;
