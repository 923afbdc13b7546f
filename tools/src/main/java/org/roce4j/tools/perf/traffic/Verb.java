package org.roce4j.tools.perf.traffic;

import org.roce4j.verbs.WrOpcode;

/** The verb that a test posts. */
public enum Verb {
  SEND("Send", WrOpcode.SEND),
  WRITE("RDMA_Write", WrOpcode.RDMA_WRITE),
  READ("RDMA_Read", WrOpcode.RDMA_READ),
  ATOMIC("Atomic FETCH_AND_ADD", WrOpcode.ATOMIC_FETCH_AND_ADD);

  private final String title;
  private final WrOpcode opcode;

  Verb(String title, WrOpcode opcode) {
    this.title = title;
    this.opcode = opcode;
  }

  /** Words for people. */
  public String title() {
    return title;
  }

  WrOpcode opcode() {
    return opcode;
  }
}
