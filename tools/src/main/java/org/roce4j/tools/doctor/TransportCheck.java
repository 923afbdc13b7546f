package org.roce4j.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.tools.doctor.SystemView.TriedPort;
import org.roce4j.verbs.text.Wording;

/** Which ports work, and whether the best one has segmentation offload. */
final class TransportCheck implements MachineCheck {
  private static final String NAME = "transport";

  @Override
  public List<Finding> examine(SystemView system) {
    List<Finding> findings = new ArrayList<>();
    boolean linux = system.property("os.name").equals("Linux");
    boolean better = false;
    for (TriedPort port : system.ports()) {
      if (port.unavailable().isEmpty()) {
        findings.add(works(port, linux));
        return findings;
      }
      better = true;
      findings.add(
          Finding.warn(
              NAME,
              port.name() + " does not work here: " + port.unavailable(),
              "the next best is used; on Linux x86-64 and arm64 'linux' is twice as fast"));
    }
    findings.add(
        Finding.fail(
            NAME,
            better ? "no port works here" : "there is no port on the class path",
            "add the artifact roce4j-port-netty, or use the virtual network (--transport fabric)"));
    return findings;
  }

  private static Finding works(TriedPort port, boolean linux) {
    if (port.maxTrain() > 1) {
      return Finding.ok(
          NAME,
          Wording.of(
              "%s, with segmentation offload: %d datagrams per call",
              port.name(), port.maxTrain()));
    }
    String says = port.name() + ", without segmentation offload (UDP_SEGMENT, UDP_GRO)";
    return linux
        ? Finding.warn(
            NAME,
            says + ": about a third of the throughput",
            "needs Linux 5.0 or newer and a sandbox that lets socket options of UDP pass; gVisor"
                + " does not")
        : Finding.ok(NAME, says + ", which this system does not have");
  }
}
