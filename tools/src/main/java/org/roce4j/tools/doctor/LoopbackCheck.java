package org.roce4j.tools.doctor;

import java.util.List;

/** Two devices of one machine reach each other. */
final class LoopbackCheck implements MachineCheck {
  private static final String NAME = "loopback";

  @Override
  public List<Finding> examine(SystemView system) {
    return List.of(
        system.loopbackWorks()
            ? Finding.ok(NAME, "a datagram from 127.0.0.1 arrives at 127.0.0.2")
            : system.property("os.name").equals("Linux")
                ? Finding.fail(
                    NAME,
                    "no datagram from 127.0.0.1 arrives at 127.0.0.2",
                    "ip link set lo up; then look at the firewall: nft list ruleset")
                : Finding.warn(
                    NAME,
                    "no datagram from 127.0.0.1 arrives at 127.0.0.2",
                    "this system has one loopback address only: use one device that talks to"
                        + " itself, or ifconfig lo0 alias 127.0.0.2"));
  }
}
