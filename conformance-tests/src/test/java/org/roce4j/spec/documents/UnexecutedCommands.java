package org.roce4j.spec.documents;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Commands in the documents that {@link DocsTest} does not run, by how they begin, and why not. */
final class UnexecutedCommands {
  /** A line of a block that is a command, whatever its block says. */
  static final Pattern COMMAND =
      Pattern.compile(
          "(?:\\$ )?(?:[A-Z0-9_]+=\\S+ )*(?:sudo )?"
              + "(?:\\./|mvn |java |interop/|\\.ci/|docker |podman |unshare |ibv_|git ).*");

  private static final Map<String, String> REASONS = new LinkedHashMap<>();

  static {
    because("it is what runs this test", "mvn verify");
    because("the step pingpong of .ci/run; here the launcher would build", "./roce4j pingpong");
    because("a build; the step newuser of .ci/run types it", "mvn -q -pl bom,junit-extension");
    because("in a user's project; the step newuser of .ci/run types it", "mvn test");
    because("a build within the build; the step examples of .ci/run", "mvn -f examples/pom.xml");
    because("boots a virtual machine; the step interop of .ci/run", "sudo interop/run-suite");
    because("boots a virtual machine", "interop/run-suite --full");
    because("hours; .ci/full is its own test", ".ci/full");
    because("the suite's tests run the same rows", "./roce4j conformance --backend");
    because(
        "serves until it is ended; RemoteTargetTest starts one", "./roce4j conformance --serve");
    because("RemoteTargetTest holds the dialogues", "./roce4j conformance --target");
    because("compares reports of a virtual machine", "./roce4j conformance --compare");
    because("it prints all rows", "./roce4j conformance --list");
    because("searches without end; the corpus is repeated by the fuzz tests", "JAZZER_FUZZ=1");
    because("needs a container engine; the block behind it does the same without", "docker run");
    because("needs a device of the kernel; interop/run-suite runs it there", "./roce4j devices");
    because("builds and measures a quiet machine for minutes", "mvn -q -DskipTests package");
    because("measures a quiet machine for minutes", "java -jar benchmarks");
    because("measures for seconds; the tests of perf run each", "./roce4j perf");
    because("needs the built jar; ExamplesTest compiles and runs the same", "java --enable-native");
    because("needs a process that runs; StatsCommandTest starts one", "./roce4j stats");
  }

  private UnexecutedCommands() {}

  private static void because(String reason, String beginning) {
    REASONS.put(beginning, reason);
  }

  /** How they begin, and why they are not run. */
  static Map<String, String> reasons() {
    return Map.copyOf(REASONS);
  }

  /** How a command begins that is excused, or null. */
  static String excuse(String line) {
    String command = line.replaceFirst("^\\$ ", "");
    return REASONS.keySet().stream().filter(command::startsWith).findFirst().orElse(null);
  }
}
