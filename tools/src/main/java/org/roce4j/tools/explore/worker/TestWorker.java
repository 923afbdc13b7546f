package org.roce4j.tools.explore.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs a test repeatedly in one JVM. Each line of standard input is a run: seed, directory of the
 * log, directory for files of a failed test, and plan, separated by tabs. The answer is a line:
 * empty if the test passed, else the failure. All other output goes to the standard error stream.
 */
public final class TestWorker implements TestExecutionListener {
  private int tests;
  private String failure = "";

  private TestWorker() {}

  /**
   * @param args the test: {@code CLASS} or {@code CLASS#METHOD}
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    BufferedReader runs =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = runs.readLine(); line != null; line = runs.readLine()) {
      String[] words = line.split("\t", 4);
      System.setProperty("roce4j.seed", words[0]);
      System.setProperty("roce4j.plan-log", words[1]);
      System.setProperty("roce4j.junit.directory", words[2]);
      System.setProperty("roce4j.plan", words[3]);
      answers.println(new TestWorker().run(args[0]).replaceAll("\\s+", " "));
      answers.flush();
    }
    // Threads that a test has left must not keep the process alive.
    System.exit(0);
  }

  private String run(String test) {
    try {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request().selectors(selectors(test)).build();
      LauncherFactory.create().execute(request, this);
      return tests == 0 && failure.isEmpty() ? "there is no test " + test : failure;
    } catch (ClassNotFoundException e) {
      return "there is no class " + e.getMessage() + " in the class path";
    } catch (LinkageError | RuntimeException e) {
      e.printStackTrace();
      return e.toString();
    }
  }

  /** Selects the methods with a name, whatever their parameters. */
  private static List<DiscoverySelector> selectors(String test) throws ClassNotFoundException {
    String[] words = test.split("#", 2);
    Class<?> type = Class.forName(words[0], false, Thread.currentThread().getContextClassLoader());
    if (words.length == 1) {
      return List.of(DiscoverySelectors.selectClass(type));
    }
    List<DiscoverySelector> methods = new ArrayList<>();
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Method method : each.getDeclaredMethods()) {
        if (method.getName().equals(words[1]) && !method.isBridge()) {
          methods.add(DiscoverySelectors.selectMethod(type, method));
        }
      }
    }
    return methods;
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    tests += test.isTest() ? 1 : 0;
    Throwable thrown = result.getThrowable().orElse(null);
    if (result.getStatus() == TestExecutionResult.Status.FAILED && thrown != null) {
      thrown.printStackTrace();
      failure =
          failure.isEmpty()
              ? thrown.getClass().getName() + " in " + test.getDisplayName()
              : failure;
    }
  }
}
