package org.roce4j.tools.doctor;

import java.util.List;
import org.roce4j.verbs.text.Wording;

/** The virtual machine is new enough. */
final class JdkCheck implements MachineCheck {
  private static final int OLDEST = 25;

  @Override
  public List<Finding> examine(SystemView system) {
    String version = system.property("java.specification.version");
    String says =
        Wording.of(
            "Java %s (%s) in %s",
            system.property("java.version"),
            system.property("java.vendor"),
            system.property("java.home"));
    boolean enough = version.matches("[0-9]+") && Integer.parseInt(version) >= OLDEST;
    return List.of(
        enough
            ? Finding.ok("jdk", says)
            : Finding.fail(
                "jdk",
                says + " is too old",
                "install a JDK " + OLDEST + " or newer; README.md, Requirements, says how"));
  }
}
