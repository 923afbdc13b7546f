package org.roce4j.tools.doctor;

import java.util.List;

/** There is a processor for each end that spins. */
final class ProcessorCheck implements MachineCheck {
  private static final String NAME = "processors";

  private final int available;

  ProcessorCheck(int available) {
    this.available = available;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    return List.of(
        available > 1
            ? Finding.ok(NAME, available + " for this process")
            : Finding.warn(
                NAME,
                "one for this process: ends that spin take turns, latency is milliseconds",
                "give the container or virtual machine two processors"));
  }
}
