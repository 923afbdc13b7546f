package org.roce4j.conformance.dialogue;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.pitest.boot.HotSwapAgent;
import org.pitest.classinfo.ClassByteArraySource;
import org.pitest.help.PitHelpError;
import org.pitest.testapi.AbstractTestUnit;
import org.pitest.testapi.Configuration;
import org.pitest.testapi.Description;
import org.pitest.testapi.ResultCollector;
import org.pitest.testapi.TestGroupConfig;
import org.pitest.testapi.TestPluginFactory;
import org.pitest.testapi.TestSuiteFinder;
import org.pitest.testapi.TestUnit;
import org.pitest.testapi.TestUnitFinder;
import org.roce4j.conformance.remote.WireDialogue;
import org.roce4j.conformance.remote.WireDialogues;

/**
 * Runs the tests for PIT's mutation testing: a dialogue is called directly, and a class is one
 * test. PIT's own plugin starts JUnit for each test, which reads all dialogues each time; a mutant
 * that survives takes minutes with it, and a second with this one.
 */
public final class QuickTests implements TestPluginFactory, Configuration {
  /** The longest dialogue makes 70,000 jumps backwards. */
  private static final long JUMPS_OF_A_DIALOGUE = 3_000_000;

  /** The class with the most jumps backwards waits in a loop for other threads: 80 million. */
  private static final long JUMPS_OF_A_CLASS = 1_000_000_000;

  @Override
  public Configuration createTestFrameworkConfiguration(
      TestGroupConfig config,
      ClassByteArraySource source,
      Collection<String> excludedRunners,
      Collection<String> includedTestMethods) {
    HotSwapAgent.addTransformer(new CountedLoops());
    return this;
  }

  @Override
  public String name() {
    return "quick";
  }

  @Override
  public String description() {
    return "dialogues without JUnit, classes with it";
  }

  /** PIT asks this plugin before the one for JUnit. */
  @Override
  public int priority() {
    return 1;
  }

  @Override
  public TestUnitFinder testUnitFinder() {
    return (type, listener) -> tests(type);
  }

  @Override
  public TestSuiteFinder testSuiteFinder() {
    return type -> List.of();
  }

  @Override
  public Optional<PitHelpError> verifyEnvironment() {
    return Optional.empty();
  }

  private static List<TestUnit> tests(Class<?> type) {
    if (type == WireDialogueTest.class) {
      WireDialogueTest test = new WireDialogueTest();
      return WireDialogues.all().stream().map(it -> dialogue(test, it)).toList();
    }
    boolean tests =
        type.getEnclosingClass() == null
            && type.getSimpleName().endsWith("Test")
            && !Modifier.isAbstract(type.getModifiers());
    return tests ? List.of(new TestClass(type)) : List.of();
  }

  private static TestUnit dialogue(WireDialogueTest test, WireDialogue dialogue) {
    Description description = new Description(dialogue.id(), WireDialogueTest.class);
    return new AbstractTestUnit(description) {
      @Override
      public void execute(ResultCollector results) {
        results.notifyStart(description);
        CountedLoops.allow(JUMPS_OF_A_DIALOGUE);
        try {
          test.run(dialogue);
          results.notifyEnd(description);
        } catch (Throwable e) {
          results.notifyEnd(description, e);
        }
      }
    };
  }

  /** All tests of a class. */
  private static final class TestClass extends AbstractTestUnit {
    private static final Launcher LAUNCHER = LauncherFactory.create();

    private final Class<?> type;

    TestClass(Class<?> type) {
      super(new Description(type.getSimpleName(), type));
      this.type = type;
    }

    @Override
    public void execute(ResultCollector results) {
      FirstFailure failure = new FirstFailure();
      results.notifyStart(getDescription());
      CountedLoops.allow(JUMPS_OF_A_CLASS);
      LAUNCHER.execute(
          LauncherDiscoveryRequestBuilder.request()
              .selectors(DiscoverySelectors.selectClass(type))
              .build(),
          failure);
      if (failure.cause == null) {
        results.notifyEnd(getDescription());
      } else {
        results.notifyEnd(getDescription(), failure.cause);
      }
    }
  }

  private static final class FirstFailure implements TestExecutionListener {
    private Throwable cause;

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (cause == null && result.getStatus() == TestExecutionResult.Status.FAILED) {
        cause = result.getThrowable().orElseThrow();
      }
    }
  }
}
