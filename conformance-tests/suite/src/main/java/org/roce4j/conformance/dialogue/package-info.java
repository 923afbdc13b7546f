/**
 * Dialogues: the packets that each side sends, their times, and packets that must not be sent. A
 * {@link org.roce4j.conformance.dialogue.Dialogue} uses a {@link
 * org.roce4j.conformance.dialogue.Wire}, which is an end on the fabric in virtual time or a UDP
 * socket in real time; {@link org.roce4j.conformance.dialogue.ConnectedPackets} and {@link
 * org.roce4j.conformance.dialogue.DatagramPackets} make its packets.
 */
package org.roce4j.conformance.dialogue;
