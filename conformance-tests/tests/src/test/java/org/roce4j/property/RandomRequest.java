package org.roce4j.property;

import java.util.List;
import org.roce4j.verbs.WrOpcode;

/**
 * A random work request: its operation, its addresses, and the elements of its local memory.
 *
 * @param bytes length of the message; atomics take 8
 * @param remote offset in the peer's memory, in units of eight bytes
 * @param cuts lengths of the local elements, in percent of the rest
 */
record RandomRequest(
    WrOpcode opcode,
    int bytes,
    int remote,
    List<Integer> cuts,
    boolean signaled,
    boolean fenced,
    boolean inline) {}
