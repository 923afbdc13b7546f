package org.roce4j.tools.doctor;

import java.util.List;

/** One thing that is looked at. */
public interface Check {
  /** Looks, changes nothing. */
  List<Finding> examine(SystemView system);
}
