/**
 * Dialogues: who says which packet when, what must come back, and what must not. A {@link
 * org.roce4j.conformance.dialogue.Dialogue} speaks through a {@link
 * org.roce4j.conformance.dialogue.Wire}, which is a place on the fabric in virtual time or an
 * address in the real world; {@link org.roce4j.conformance.dialogue.ConnectedPackets} and {@link
 * org.roce4j.conformance.dialogue.DatagramPackets} are its words.
 */
package org.roce4j.conformance.dialogue;
