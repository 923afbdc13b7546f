package org.roce4j.robustness;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What this process holds: reachable objects, threads, open files and sockets.
 *
 * @param histogram a line for each class, as text: a map would be among what it counts
 */
record Census(String histogram, int threads, int files) {
  private static final String OURS = "org.roce4j.";
  private static final String COLLECTIONS = "java.util.";

  static Census take() {
    return new Census(
        countObjects(), Thread.activeCount(), new File("/proc/self/fd").list().length);
  }

  /** The collector counts them, so only what can be reached is counted. */
  private static String countObjects() {
    try {
      return (String)
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "gcClassHistogram",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new AssertionError("the virtual machine counts no objects", e);
    }
  }

  /**
   * Classes of roce4j and of collections with at least this many objects more than in an earlier
   * census.
   */
  Map<String, Long> grownSince(Census earlier, long least) {
    Map<String, Long> before = earlier.objects();
    Map<String, Long> grown = new TreeMap<>();
    objects()
        .forEach(
            (type, count) -> {
              long more = count - before.getOrDefault(type, 0L);
              if (more >= least) {
                grown.put(type, more);
              }
            });
    return grown;
  }

  /** Of all reachable objects. */
  long bytes() {
    String[] total = histogram.strip().lines().toList().getLast().trim().split("\\s+");
    return Long.parseLong(total[2]); // Total, objects, bytes
  }

  private Map<String, Long> objects() {
    Map<String, Long> counts = new HashMap<>();
    for (String line : histogram.split("\n")) {
      String[] words = line.trim().split("\\s+"); // rank, objects, bytes, class
      if (words.length >= 4 && (words[3].startsWith(OURS) || words[3].startsWith(COLLECTIONS))) {
        counts.put(words[3], Long.parseLong(words[1]));
      }
    }
    return counts;
  }
}
