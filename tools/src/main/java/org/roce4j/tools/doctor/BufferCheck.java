package org.roce4j.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.text.Wording;

/** Sockets may have the buffers that a device asks for. */
final class BufferCheck implements MachineCheck {
  private static final String NAME = "buffers";
  private static final long WANTED = 4L << 20;

  @Override
  public List<Finding> examine(SystemView system) {
    List<Finding> findings = new ArrayList<>();
    for (String limit : new String[] {"rmem_max", "wmem_max"}) {
      List<String> text = system.lines("/proc/sys/net/core/" + limit);
      if (text.isEmpty() || !text.getFirst().strip().matches("[0-9]{1,18}")) {
        continue;
      }
      long bytes = Long.parseLong(text.getFirst().strip());
      if (bytes < WANTED) {
        findings.add(
            Finding.warn(
                NAME,
                Wording.of(
                    "net.core.%s is %d: bursts of more than about %d packets of 4 KiB are lost",
                    limit, bytes, bytes / 9000),
                Wording.of(
                    "sysctl -w net.core.%s=%d (on the host, if this is a container)",
                    limit, WANTED)));
      }
    }
    if (findings.isEmpty()) {
      boolean shown = system.exists("/proc/sys/net/core/rmem_max");
      findings.add(
          Finding.ok(
              NAME,
              shown
                  ? "sockets may have 4 MiB each way"
                  : "this system does not show its limits of socket buffers"));
    }
    return findings;
  }
}
