package org.roce4j.backend;

import java.util.Set;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Setting;

/** Limits that a row can reach: three objects of each kind. */
final class FewObjects {
  private static final String FEW = "3";
  private static final Set<String> LIMITS =
      Set.of(
          "limits.max-qp",
          "limits.max-cq",
          "limits.max-mr",
          "limits.max-mw",
          "limits.max-pd",
          "limits.max-ah",
          "limits.max-srq",
          "limits.max-mcast-groups",
          "limits.max-mcast-qp-attach");

  private FewObjects() {}

  /** The same device with few objects. */
  static DeviceOptions of(DeviceOptions options) {
    DeviceOptions few = options;
    for (Setting setting : Setting.ALL) {
      if (LIMITS.contains(setting.key())) {
        few = setting.change().apply(few, FEW);
      }
    }
    return few;
  }
}
