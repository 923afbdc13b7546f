package org.roce4j.broken;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs suites with the classes of one loader and collects what they complain about. */
final class SuiteInside {
  private static final String DIALOGUES = "org.roce4j.scenario.";
  private static final String INSIDE = "org.roce4j.suite.";

  private final ClassLoader loader;
  private final List<String> complaints = new ArrayList<>();

  SuiteInside(ClassLoader loader) {
    this.loader = loader;
  }

  /** Runs this suite and returns its complaints, none if it is content. */
  List<String> run(String suite) throws ReflectiveOperationException {
    complaints.clear();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      String[] words = suite.split(" ");
      switch (words[0]) {
        case "rows" -> report("RowsInside", words[1]);
        case "simulation" -> report("SimulationInside", words[1]);
        case "healthy" -> report("HealthySimulationInside", words[1]);
        case "outages" -> report("OutageSimulationInside", words[1]);
        default -> dialogues(suite);
      }
    } finally {
      thread.setContextClassLoader(before);
    }
    return List.copyOf(complaints);
  }

  /** These run in the loader's own copy and speak to us in strings alone. */
  private void report(String className, String what) throws ReflectiveOperationException {
    Method run = loader.loadClass(INSIDE + className).getMethod("complaints", String.class);
    try {
      for (Object complaint : (List<?>) run.invoke(null, what)) {
        complaints.add((String) complaint);
      }
    } catch (InvocationTargetException e) {
      complaints.add(String.valueOf(e.getCause()));
    }
  }

  private void dialogues(String className) throws ClassNotFoundException {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(loader.loadClass(DIALOGUES + className)))
            .filters(EngineFilter.includeEngines("junit-jupiter"))
            .configurationParameter("junit.jupiter.execution.timeout.default", "20 s")
            .configurationParameter(
                "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
            .build();
    Launcher launcher =
        LauncherFactory.create(
            LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .enableLauncherSessionListenerAutoRegistration(false)
                .enableLauncherDiscoveryListenerAutoRegistration(false)
                .build());
    Listener listener = new Listener();
    launcher.execute(request, listener);
    if (listener.tests == 0) {
      throw new IllegalStateException(className + " has no tests");
    }
  }

  private final class Listener implements TestExecutionListener {
    private int tests;

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      if (identifier.isTest()) {
        tests++;
      }
      result
          .getThrowable()
          .ifPresent(
              failure -> complaints.add(identifier.getDisplayName() + ": " + failure.getMessage()));
    }
  }
}
