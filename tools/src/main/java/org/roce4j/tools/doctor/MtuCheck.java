package org.roce4j.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.tools.doctor.SystemView.Interface;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.PathMtu;

/** Interfaces carry packets of the usual path MTU. */
final class MtuCheck implements MachineCheck {
  private static final String NAME = "mtu";
  private static final int USUAL = 1024;

  @Override
  public List<Finding> examine(SystemView system) {
    List<Finding> findings = new ArrayList<>();
    for (Interface each : system.interfaces()) {
      int payload = PathMtu.ofNetdev(each.mtu()).bytes();
      String says =
          Wording.of(
              "%s: interface MTU %d carries a path MTU of %d", each.name(), each.mtu(), payload);
      findings.add(
          payload < USUAL
              ? Finding.warn(
                  NAME,
                  says + "; peers that ask for " + USUAL + " lose every full packet",
                  Wording.of(
                      "ip link set %s mtu 1500, or use a path MTU of %d at both ends",
                      each.name(), payload))
              : Finding.ok(NAME, says));
    }
    if (findings.isEmpty()) {
      findings.add(
          Finding.fail(NAME, "no network interface is up, not even lo", "ip link set lo up"));
    }
    return findings;
  }
}
