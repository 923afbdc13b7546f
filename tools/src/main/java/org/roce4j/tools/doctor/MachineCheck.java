package org.roce4j.tools.doctor;

import java.util.List;

/** One check of the machine. */
public interface MachineCheck {
  /** Runs the check; changes nothing. */
  List<Finding> examine(SystemView system);
}
