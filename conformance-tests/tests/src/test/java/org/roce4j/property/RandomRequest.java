package org.roce4j.property;

import java.util.List;
import org.roce4j.verbs.WrOpcode;

/**
 * A work request to be drawn: what it does, where, and how its local memory is cut.
 *
 * @param bytes of the message; atomics take 8
 * @param remote where in the peer's memory, in eight bytes
 * @param cuts how the local memory is divided, in percent of what is left
 */
record RandomRequest(
    WrOpcode opcode,
    int bytes,
    int remote,
    List<Integer> cuts,
    boolean signaled,
    boolean fenced,
    boolean inline) {}
