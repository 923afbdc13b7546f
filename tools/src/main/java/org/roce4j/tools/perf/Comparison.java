package org.roce4j.tools.perf;

import java.util.List;
import java.util.Map;
import org.roce4j.tools.perf.traffic.Measurement;

/** The result of a comparison, besides the device's own figures. */
public interface Comparison {
  /** The device's last run. */
  Measurement measurement();

  /** Whether the comparison shows anything; if not, the command ends with status 1. */
  boolean credible();

  /** The lines of the text output. */
  List<String> text();

  /** The member {@code limit} of the JSON object. */
  Map<String, Object> json();
}
