package org.roce4j.broken;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs suites with the classes of one loader and collects their complaints. */
final class SuiteInside {
  private static final String DIALOGUES = "org.roce4j.conformance.dialogue";
  private static final String HOLDS = "org.roce4j.conformance.dialogue.Holds";
  private static final String INSIDE = "org.roce4j.suite.";

  private final ClassLoader loader;

  SuiteInside(ClassLoader loader) {
    this.loader = loader;
  }

  /**
   * Runs everything that can name one of these rules and returns the complaints, none if all is
   * right.
   */
  List<String> run(Catcher.Kind kind, Collection<String> rules)
      throws ReflectiveOperationException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return switch (kind) {
        case DIALOGUES -> {
          List<String> complaints = new ArrayList<>(report("DialoguesInside", rules));
          complaints.addAll(dialogues(rules));
          yield complaints;
        }
        case ROWS -> report("RowsInside", rules);
        case SIMULATION -> report("SimulationInside", rules);
      };
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** The suites run in the loader's own copy and return only strings to this class. */
  private List<String> report(String className, Collection<String> rules)
      throws ReflectiveOperationException {
    Method run = loader.loadClass(INSIDE + className).getMethod("complaints", String.class);
    List<String> complaints = new ArrayList<>();
    for (String rule : rules) {
      try {
        for (Object complaint : (List<?>) run.invoke(null, rule)) {
          complaints.add((String) complaint);
        }
      } catch (InvocationTargetException e) {
        complaints.add(String.valueOf(e.getCause()));
      }
    }
    return complaints;
  }

  private List<String> dialogues(Collection<String> rules) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectPackage(DIALOGUES))
            .filters(EngineFilter.includeEngines("junit-jupiter"))
            .filters((PostDiscoveryFilter) test -> FilterResult.includedIf(holds(test, rules)))
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
    return listener.complaints;
  }

  /**
   * Whether a dialogue holds one of these rules. A class always counts, because its methods may.
   */
  private static boolean holds(TestDescriptor test, Collection<String> rules) {
    if (!(test.getSource().orElse(null) instanceof MethodSource source)) {
      return true;
    }
    String ofMethod = rule(source.getJavaMethod());
    String held = ofMethod != null ? ofMethod : rule(source.getJavaClass());
    return held != null && rules.contains(held);
  }

  /** The annotation belongs to the loader's copy, so it is read by reflection. */
  private static String rule(AnnotatedElement element) {
    for (Annotation annotation : element.getAnnotations()) {
      if (annotation.annotationType().getName().equals(HOLDS)) {
        try {
          Method value = annotation.annotationType().getDeclaredMethod("value");
          value.setAccessible(true);
          return ((Enum<?>) value.invoke(annotation)).name();
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(HOLDS + " has another form", e);
        }
      }
    }
    return null;
  }

  private static final class Listener implements TestExecutionListener {
    private final List<String> complaints = new ArrayList<>();

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      result
          .getThrowable()
          .ifPresent(
              failure -> complaints.add(identifier.getDisplayName() + ": " + failure.getMessage()));
    }
  }
}
