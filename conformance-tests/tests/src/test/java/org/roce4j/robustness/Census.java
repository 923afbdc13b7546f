package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The resources of this process: reachable objects, threads, open files and sockets.
 *
 * @param histogram a line for each class, as text, because a map would count itself
 */
record Census(String histogram, int threads, int files) {
  private static final String OURS = "org.roce4j.";
  private static final String COLLECTIONS = "java.util.";
  private static final int FIRST_ROUNDS = 8;
  private static final int ROUNDS = 60;

  /** A class that leaks an object a round grows by the number of rounds; a cache grows by few. */
  private static final int LEAST_GROWTH = ROUNDS / 2;

  /** A leak repeats; a class that was loaded meanwhile is loaded only once. */
  private static final int ATTEMPTS = 3;

  /** Repeats the rounds, and compares the resources after the first few with those at the end. */
  static void leavesNothing(IntConsumer round) {
    int next = 0;
    while (next < FIRST_ROUNDS) {
      round.accept(next++);
    }
    String kept = null;
    for (int attempt = 0; attempt < ATTEMPTS && !"".equals(kept); attempt++) {
      Census before = take();
      for (int i = 0; i < ROUNDS; i++) {
        round.accept(next++);
      }
      kept = take().keptSince(before);
    }
    assertEquals("", kept, "kept by " + ROUNDS + " rounds, " + ATTEMPTS + " times");
  }

  /** The growth with the rounds as text; empty if there is none. */
  private String keptSince(Census before) {
    List<String> kept = new ArrayList<>();
    grownSince(before, LEAST_GROWTH).forEach((type, more) -> kept.add(more + " " + type));
    if (threads - before.threads >= LEAST_GROWTH) {
      kept.add("threads: " + before.threads + ", then " + threads);
    }
    if (files - before.files >= LEAST_GROWTH) {
      kept.add("open files and sockets: " + before.files + ", then " + files);
    }
    return String.join("; ", kept);
  }

  static Census take() {
    int files = new File("/proc/self/fd").list().length; // the collector closes leaked files
    return new Census(countObjects(), Thread.activeCount(), files);
  }

  /** The garbage collector counts, so only reachable objects are in it. */
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

  /**
   * Bytes of all reachable objects. The serial collector leaves gaps between them, up to megabytes
   * in a large heap, and lists each gap as a filler object.
   */
  long bytes() {
    return lines()
        .filter(words -> !words[3].contains("jdk.internal.vm.Filler"))
        .mapToLong(words -> Long.parseLong(words[2]))
        .sum();
  }

  private Map<String, Long> objects() {
    Map<String, Long> counts = new HashMap<>();
    lines()
        .filter(words -> words[3].startsWith(OURS) || words[3].startsWith(COLLECTIONS))
        .forEach(words -> counts.put(words[3], Long.parseLong(words[1])));
    return counts;
  }

  /** The rows of the histogram: rank, objects, bytes, class. */
  private Stream<String[]> lines() {
    return histogram
        .lines()
        .map(line -> line.trim().split("\\s+"))
        .filter(words -> words.length >= 4 && words[0].endsWith(":"));
  }
}
