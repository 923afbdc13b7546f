package org.roce4j.conformance.backend;

import java.util.Map;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Setting;

/** Limits that a row can reach: three objects of each kind, two in a multicast group. */
final class FewObjects {
  private static final Map<String, String> LIMITS =
      Map.of(
          "limits.max-qp", "3",
          "limits.max-cq", "3",
          "limits.max-mr", "3",
          "limits.max-mw", "3",
          "limits.max-pd", "3",
          "limits.max-ah", "3",
          "limits.max-srq", "3",
          "limits.max-mcast-groups", "3",
          "limits.max-mcast-qp-attach", "2");

  private FewObjects() {}

  /** The same device with few objects. */
  static DeviceOptions of(DeviceOptions options) {
    DeviceOptions few = options;
    for (Setting setting : Setting.ALL) {
      if (LIMITS.containsKey(setting.key())) {
        few = setting.change().apply(few, LIMITS.get(setting.key()));
      }
    }
    return few;
  }
}
