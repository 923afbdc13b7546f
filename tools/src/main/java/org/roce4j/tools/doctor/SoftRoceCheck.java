package org.roce4j.tools.doctor;

import java.util.List;
import org.roce4j.verbs.text.Wording;

/** The kernel's own soft-RoCE has no device here. */
final class SoftRoceCheck implements MachineCheck {
  private static final String NAME = "soft-roce";
  private static final String DEVICES = "/sys/class/infiniband";

  @Override
  public List<Finding> examine(SystemView system) {
    List<String> devices =
        system.names(DEVICES).stream()
            .filter(device -> system.exists(DEVICES + "/" + device + "/parent"))
            .sorted()
            .toList();
    boolean loaded = system.exists("/sys/module/rdma_rxe");
    if (!devices.isEmpty() && loaded) {
      return List.of(
          Finding.fail(
              NAME,
              Wording.of(
                  "the kernel's soft-RoCE runs (%s) and takes UDP port 4791 on every address",
                  String.join(", ", devices)),
              "rdma link delete "
                  + devices.getFirst()
                  + ", or run roce4j in a network namespace of its own"));
    }
    return List.of(
        Finding.ok(
            NAME,
            loaded
                ? "the kernel's module rdma_rxe is loaded and has no device"
                : "the kernel's soft-RoCE is not loaded, and not needed"));
  }
}
