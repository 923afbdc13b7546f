package org.roce4j.documents;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Commands in the documents that {@link DocsTest} does not run, by their prefix, with the reason;
 * and those that it runs only with {@code -Droce4j.documents=all}, as the step documents of
 * .ci/full does.
 */
final class UnexecutedCommands {
  /** A line of a block that is a command, by its form. */
  static final Pattern COMMAND =
      Pattern.compile(
          "(?:\\$ )?(?:[A-Z0-9_]+=\\S+ )*(?:sudo )?(?:\\./|mvn |java"
              + " |conformance-tests/interop/|benchmarks/|\\.ci/|docker |podman |unshare |ibv_|git"
              + " ).*");

  /** Whether to run the slow commands, too. */
  static final boolean ALL = "all".equals(System.getProperty("roce4j.documents"));

  private static final Map<String, String> REASONS = new LinkedHashMap<>();
  private static final Set<String> SLOW =
      Set.of(
          "./roce4j conformance --backend udp --json",
          "./roce4j conformance --backend udp  ",
          "./roce4j conformance --backend fabric",
          "./roce4j conformance --compare",
          "./roce4j perf ",
          "java --enable-native-access");

  static {
    because("it runs this test; step verify of .ci/run", "mvn verify");
    because("a build; step newuser of .ci/run", "mvn -q -pl :roce4j-bom,junit-extension");
    because("in a user's project; step newuser of .ci/run", "mvn test");
    because("a build; step examples of .ci/full", "mvn -f examples/pom.xml");
    because(
        "a virtual machine; step interop of .ci/run", "sudo conformance-tests/interop/run-suite");
    because(
        "a virtual machine; step matrix of .ci/full", "conformance-tests/interop/run-suite --full");
    because("builds in this tree; step mutation of .ci/full", ".ci/full mutation");
    because("the same for one package; step mutation of .ci/full", "ROCE4J_MUTATION=");
    because("a build and minutes of search; step fuzz of .ci/run", ".ci/run fuzz");
    because("a build and longer; step fuzz of .ci/run", "ROCE4J_FUZZ_ROUNDS=10");
    because(
        "serves until it is ended; RemoteTargetTest starts one", "./roce4j conformance --serve");
    because(
        "needs one that serves; RemoteTargetTest holds the dialogues",
        "./roce4j conformance --target 127.0.0.1  ");
    because("an address of another machine", "./roce4j conformance --target 10.");
    because("needs a container engine; the block behind it does the same without", "docker run");
    because("needs a device of the kernel; step matrix of .ci/full", "./roce4j devices");
    because(
        "needs a device of the kernel; step matrix of .ci/full", "./roce4j pingpong --device rxe0");
    because(
        "needs a device of the kernel; step matrix of .ci/full",
        "./roce4j conformance --backend hardware");
    because(
        "needs a device of the kernel; step matrix of .ci/full",
        "./roce4j conformance --backend pair");
    because("a build and minutes on a quiet machine", "mvn -q -DskipTests package");
    because("minutes on a quiet machine", "java -jar benchmarks");
    because("minutes on a quiet machine; step peers of .ci/full", "benchmarks/peers/compare");
    because("needs a process that runs; StatsCommandTest starts one", "./roce4j stats");
    because("the same", "./roce4j top");
    because("needs a program of the reader's; ExploreCommandTest has some", "./roce4j explore ");
    because("in a user's project", "mvn -q dependency:build-classpath");
    because("needs two ends; ProxyCommandTest has them", "./roce4j proxy");
  }

  private UnexecutedCommands() {}

  private static void because(String reason, String beginning) {
    REASONS.put(beginning, reason);
  }

  /** Prefixes of commands that are not run, with the reasons. */
  static Map<String, String> reasons() {
    return Map.copyOf(REASONS);
  }

  /** Prefixes of slow commands. */
  static Set<String> slow() {
    return SLOW;
  }

  /** The prefix by which a command is excused, or null. */
  static String excuse(String command) {
    return beginning(REASONS.keySet(), command);
  }

  /** The prefix by which a command is slow, or null. */
  static String slowness(String command) {
    return beginning(SLOW, command);
  }

  private static String beginning(Set<String> beginnings, String command) {
    return beginnings.stream().filter(command::startsWith).findFirst().orElse(null);
  }
}
