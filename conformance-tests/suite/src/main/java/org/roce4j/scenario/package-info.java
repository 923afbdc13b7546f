/**
 * Dialogues: who says which packet when, what must come back, and what must not. A {@link
 * org.roce4j.scenario.Dialogue} speaks through a {@link org.roce4j.scenario.Wire}, which is a place
 * on the fabric in virtual time or an address in the real world; {@link
 * org.roce4j.scenario.ConnectedPackets} and {@link org.roce4j.scenario.DatagramPackets} are its
 * words; a {@link org.roce4j.scenario.QpUnderTest} is the local half that is spoken to.
 */
package org.roce4j.scenario;
