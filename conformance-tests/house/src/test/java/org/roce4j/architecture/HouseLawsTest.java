package org.roce4j.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The laws about dependencies between types, checked on the compiled classes of every module. */
@AnalyzeClasses(
    packages = Floors.ROOT,
    importOptions = {ImportOption.DoNotIncludeTests.class, HouseLawsTest.Product.class})
class HouseLawsTest {
  /** All modules except benchmarks and examples, which are not part of the product. */
  static final class Product implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("org/roce4j/benchmarks/")
          && !location.contains("org/roce4j/examples/");
    }
  }

  private static final String[] MACHINES = {"org.roce4j.wire..", "org.roce4j.engine.."};
  private static final String[] MACHINES_AND_FABRIC = {
    "org.roce4j.wire..", "org.roce4j.engine..", "org.roce4j.fabric.."
  };

  // A law that checks no class would always pass.

  @ArchTest
  void everyRowOfTheHousePlanHasClassesUnlessItIsDeclaredEmpty(JavaClasses all) {
    Set<String> present =
        all.stream()
            .flatMap(c -> Floors.rowOf(c.getPackageName()).stream())
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> missing = new TreeSet<>(Floors.names());
    missing.removeAll(present);
    missing.removeAll(Floors.EMPTY_YET);
    assertEquals(Set.of(), missing, "rows of Floors in which no class was found");
    present.retainAll(Floors.EMPTY_YET);
    assertEquals(Set.of(), present, "rows declared empty in which there are classes");
  }

  @ArchTest
  void everyPackageHasARowInTheHousePlan(JavaClasses all) {
    Set<String> unknown =
        all.stream()
            .map(JavaClass::getPackageName)
            .filter(p -> Floors.rowOf(p).isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(unknown.isEmpty(), () -> "say in Floors what these may import: " + unknown);
  }

  // Floors.

  @ArchTest
  static final ArchRule noPackagesFormACycle =
      slices().matching("org.roce4j.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule packagesImportOnlyTheRowsBelowThem =
      classes().should(new ImportOnlyRowsBelow());

  @ArchTest
  static final ArchRule requesterDoesNotKnowTheResponder =
      noClasses()
          .that()
          .resideInAPackage("org.roce4j.engine.requester..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.roce4j.engine.responder..");

  @ArchTest
  static final ArchRule responderDoesNotKnowTheRequester =
      noClasses()
          .that()
          .resideInAPackage("org.roce4j.engine.responder..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.roce4j.engine.requester..");

  // Machines without I/O.

  @ArchTest
  static final ArchRule machinesNameNoSocket =
      noClasses()
          .that()
          .resideInAnyPackage(MACHINES_AND_FABRIC)
          .should()
          .dependOnClassesThat(
              nameMatching("java\\.net\\.(?!Inet|UnknownHostException).*")
                  .or(nameMatching("java\\.nio\\.channels\\.(?!File|WritableByte|ReadableByte).*"))
                  .or(nameMatching("javax\\.net\\..*|io\\.netty\\..*")))
          .because("a port is where the world begins");

  @ArchTest
  static final ArchRule machinesNameNoThread =
      noClasses()
          .that()
          .resideInAnyPackage(MACHINES_AND_FABRIC)
          .should()
          .accessTargetWhere(
              describe("a thread is named", HouseLawsTest::namesThreadOtherThanToSpin))
          .orShould()
          .dependOnClassesThat(
              nameMatching(
                  "java\\.util\\.concurrent\\.(?!atomic\\.)[A-Za-z]*"
                      + "(Executor|Thread|Future|Timer|ForkJoin|Flow)[A-Za-z.$]*"))
          .orShould()
          .dependOnClassesThat(nameMatching("java\\.util\\.Timer.*|java\\.lang\\.ThreadLocal"))
          .because("the thread that posts, polls or waits runs the engine");

  @ArchTest
  static final ArchRule machinesNameNoClock =
      noClasses()
          .that()
          .resideInAnyPackage(MACHINES_AND_FABRIC)
          .should()
          .accessTargetWhere(describe("a clock is read", HouseLawsTest::readsClock))
          .orShould()
          .dependOnClassesThat(nameMatching("java\\.time\\.(InstantSource|.*Clock.*)"))
          .because("time is an argument");

  @ArchTest
  static final ArchRule machinesDrawNoRandomNumbersOfTheirOwn =
      noClasses()
          .that()
          .resideInAnyPackage(MACHINES_AND_FABRIC)
          .should()
          .accessTargetWhere(describe("chance enters", HouseLawsTest::drawsFromAnUnseededSource))
          .because("the same seed gives the same run");

  @ArchTest
  static final ArchRule machinesNameNoLogger =
      noClasses()
          .that()
          .resideInAnyPackage(MACHINES_AND_FABRIC)
          .should()
          .dependOnClassesThat(
              nameMatching(
                  "(org\\.slf4j|java\\.util\\.logging|ch\\.qos\\.logback)\\..*"
                      + "|java\\.lang\\.System\\$Logger.*"))
          .orShould()
          .accessTargetWhere(describe("text is printed", HouseLawsTest::prints))
          .because("counters and traces tell what happens");

  // Memory.

  @ArchTest
  static final ArchRule onlyEngineMemoryTouchesRegisteredSegments =
      noClasses()
          .that(
              resideInAnyPackage(MACHINES)
                  .and(
                      not(
                          resideInAnyPackage(
                              "org.roce4j.engine.memory..",
                              // Rings have segments of their own.
                              "org.roce4j.engine.queue..")))
                  .as("machines outside engine.memory and engine.queue"))
          .should()
          .accessTargetWhere(describe("a segment is touched", HouseLawsTest::touchesSegment))
          .because("accessibility, rights and closed arenas are judged in one place");

  @ArchTest
  static final ArchRule portsNeverMeetRegisteredSegments =
      noClasses()
          .that()
          .resideInAnyPackage("org.roce4j.port..", "org.roce4j.fabric..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.roce4j.engine.memory..")
          .because("a port's segments hold packets");

  @ArchTest
  static final ArchRule onlyRingsCountersAndMemoryOrderMemory =
      noClasses()
          .that(
              resideInAnyPackage(MACHINES)
                  .and(
                      not(
                          resideInAnyPackage(
                              "org.roce4j.engine.queue..",
                              "org.roce4j.engine.counter..",
                              "org.roce4j.engine.memory..")))
                  .as("machines outside engine.queue, engine.counter and engine.memory"))
          .should()
          .dependOnClassesThat(
              nameMatching(
                  "java\\.lang\\.invoke\\.VarHandle.*"
                      + "|java\\.util\\.concurrent\\.(atomic|locks)\\..*"))
          .orShould(new DeclareVolatileOrSynchronize())
          .because("what two threads share is looked for in one place");

  // Foreign ground.

  @ArchTest
  static final ArchRule nettyAppearsInItsPortAlone =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.roce4j.port.netty..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule foreignFunctionsAreLinkedInTheLinuxPortAndTheHardwareBackendAlone =
      noClasses()
          .that()
          .resideOutsideOfPackages("org.roce4j.port.linux..", "org.roce4j.hardware..")
          .should()
          .dependOnClassesThat(nameMatching("java\\.lang\\.foreign\\.(Linker|SymbolLookup).*"));

  @ArchTest
  static final ArchRule theCommandNeedsNoJunit =
      noClasses()
          .that()
          .resideInAPackage("org.roce4j.tools..")
          .and()
          .resideOutsideOfPackage("org.roce4j.tools.explore.worker..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.junit..", "org.roce4j.tools.explore.worker..")
          .because("its jar has none; the worker's class is copied into the JVM of a user's tests");

  // Language.

  @ArchTest
  static final ArchRule textIsTheSameInEveryLanguageOfTheMachine =
      noClasses()
          .should()
          .accessTargetWhere(
              describe("the default locale chooses digits or letters", HouseLawsTest::asksNoLocale))
          .because("Wording.of prints a number as scripts and tests read it");

  private static boolean namesThreadOtherThanToSpin(JavaAccess<?> access) {
    return access.getTargetOwner().isEquivalentTo(Thread.class)
        && !access.getName().equals("onSpinWait");
  }

  private static boolean readsClock(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    return (owner.isEquivalentTo(System.class)
            && Set.of("nanoTime", "currentTimeMillis").contains(access.getName()))
        || (owner.getPackageName().startsWith("java.time") && access.getName().equals("now"))
        || (owner.isEquivalentTo(java.util.Date.class) && takesNoArgument(access));
  }

  private static boolean drawsFromAnUnseededSource(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    return owner.isAssignableTo(java.security.SecureRandom.class)
        || owner.isEquivalentTo(java.util.concurrent.ThreadLocalRandom.class)
        || (owner.isEquivalentTo(Random.class) && takesNoArgument(access))
        || (owner.isEquivalentTo(Math.class) && access.getName().equals("random"))
        || (owner.isEquivalentTo(java.util.UUID.class) && access.getName().equals("randomUUID"));
  }

  private static boolean takesNoArgument(JavaAccess<?> access) {
    return access.getTarget().getFullName().endsWith("<init>()");
  }

  private static boolean prints(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    return (owner.isEquivalentTo(System.class)
            && Set.of("out", "err", "getLogger").contains(access.getName()))
        || access.getName().equals("printStackTrace");
  }

  private static boolean asksNoLocale(JavaAccess<?> access) {
    return Set.of("format", "formatted", "printf", "toLowerCase", "toUpperCase")
            .contains(access.getName())
        && Stream.of(String.class, PrintStream.class, PrintWriter.class, Formatter.class)
            .anyMatch(access.getTargetOwner()::isAssignableTo)
        && access.getTarget() instanceof CodeUnitAccessTarget called
        && called.getRawParameterTypes().stream().noneMatch(p -> p.isEquivalentTo(Locale.class));
  }

  private static boolean touchesSegment(JavaAccess<?> access) {
    String name = access.getName();
    return access.getTargetOwner().getName().equals("java.lang.foreign.MemorySegment")
        && (name.startsWith("get")
            || name.startsWith("set")
            || Set.of("copy", "copyFrom", "fill", "mismatch", "asByteBuffer", "toArray")
                .contains(name));
  }

  /** Packages whose types depend on each other in a larger circle, with the reason. */
  private static final Map<String, String> CIRCLES =
      Map.of(
          "verbs", "interfaces: a context makes the objects, which name their context",
          "verbs.cm", "an id, its channel and its events name each other, as in librdmacm",
          "hardware", "the objects of libibverbs, which name each other like their interfaces",
          "emulator.cm", "ids, channels and peers, which name each other like their interfaces",
          "faulty", "a decorated object decorates the objects that it returns",
          "wire.mad", "a message names its attribute, and an attribute reads its message",
          "wire.view", "a view writes its page and its log, which read the view",
          "tools.perf.traffic", "a side makes its player, which uses the side",
          "junit", "an annotation names its extension, which reads the annotation");

  @ArchTest
  static void noTypesOfAPackageDependOnEachOtherInACircleOfMoreThanThree(JavaClasses classes) {
    Set<String> packages =
        classes.stream()
            .map(JavaClass::getPackageName)
            .filter(name -> !name.startsWith("org.roce4j.conformance"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(packages.size() > 40, () -> "packages: " + packages);
    Map<String, List<Set<String>>> knots = new TreeMap<>();
    for (String name : packages) {
      List<Set<String>> found = TypeCycles.above(3, classes, name);
      if (!found.isEmpty()) {
        knots.put(name.substring(Floors.ROOT.length() + 1), found);
      }
    }
    assertEquals(CIRCLES.keySet(), knots.keySet(), knots::toString);
  }
}
