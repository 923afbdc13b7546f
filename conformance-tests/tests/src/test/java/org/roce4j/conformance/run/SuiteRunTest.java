package org.roce4j.conformance.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Check;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.backend.Deviation;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.backend.Link;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The runner's verdict on a row. */
class SuiteRunTest {
  private static final Check HOLDS = bench -> {};
  private static final Check FAILS = bench -> Expect.equal("the answer", 42, 41);

  private static RowResult run(Check check, Deviation... deviations) {
    return new SuiteRun(new Deviating(List.of(deviations)))
        .run(new Row("X-1", "nowhere 1", "holds", check));
  }

  @Test
  void passesARowThatHolds() {
    assertEquals(Verdict.PASS, run(HOLDS).verdict());
  }

  @Test
  void failsARowThatDoesNotAndSaysWhatWasFound() {
    RowResult result = run(FAILS);
    assertEquals(Verdict.FAIL, result.verdict());
    assertEquals("the answer is 41, the specification says 42", result.reason());
    assertTrue(result.toString().contains("X-1") && result.toString().contains("nowhere 1"));
  }

  @Test
  void failsARowThatThrows() {
    RowResult result =
        run(
            bench -> {
              throw new IllegalStateException("broken");
            });
    assertEquals(Verdict.FAIL, result.verdict());
  }

  @Test
  void skipsWithAReason() {
    RowResult result = run(bench -> bench.need(Capability.VIRTUAL_TIME));
    assertEquals(Verdict.SKIPPED, result.verdict());
    assertEquals(Capability.VIRTUAL_TIME.absence(), result.reason());
  }

  @Test
  void excusesADeclaredDeviation() {
    RowResult result = run(FAILS, new Deviation("X-.*", "the device knows only 41"));
    assertEquals(Verdict.DEVIATION, result.verdict());
    assertTrue(result.reason().startsWith("the device knows only 41"));
  }

  @Test
  void aDeclaredRefusalExcusesThatErrnoAlone() {
    Deviation refusal = Deviation.list("refused EINVAL: it has none\n  X-1\n").getFirst();
    assertEquals(Errno.EINVAL, refusal.refusal());
    assertEquals(Verdict.DEVIATION, run(_ -> refuse(Errno.EINVAL), refusal).verdict());
    Check other = _ -> Expect.refused(Errno.EBUSY, () -> refuse(Errno.EINVAL));
    assertEquals(Verdict.DEVIATION, run(other, refusal).verdict());
    assertEquals(Verdict.FAIL, run(_ -> refuse(Errno.ENOMEM), refusal).verdict());
    assertEquals(Verdict.FAIL, run(FAILS, refusal).verdict());
    assertEquals(Verdict.FAIL, run(HOLDS, refusal).verdict());
    assertEquals(Verdict.FAIL, run(_ -> refuse(Errno.EINVAL)).verdict());
  }

  private static void refuse(Errno errno) {
    throw new VerbsException(errno, "not here");
  }

  @Test
  void failsADeviationThatNoLongerDeviates() {
    assertEquals(Verdict.FAIL, run(HOLDS, new Deviation("X-1", "the device is odd")).verdict());
  }

  @Test
  void doesNotRunARowThatTheDeviceWouldNotSurvive() {
    RowResult result =
        run(
            bench -> {
              throw new IllegalStateException("the row was run");
            },
            new Deviation("X-1", "the kernel panics", true));
    assertEquals(Verdict.SKIPPED, result.verdict());
    assertEquals("not run: the kernel panics", result.reason());
  }

  @Test
  void leavesRowsAloneThatADeviationDoesNotConcern() {
    assertEquals(Verdict.FAIL, run(FAILS, new Deviation("X", "the device is odd")).verdict());
  }

  @Test
  void failsARowThatAKernelNeverEndsAndGoesOn() {
    CompletableFuture<Void> kernel = new CompletableFuture<>();
    Row stuck = new Row("X-1", "nowhere 1", "ends", _ -> kernel.join());
    Row next = new Row("X-2", "nowhere 1", "holds", HOLDS);
    Deviation excuse = new Deviation("X-1", "the device is odd");
    try {
      SuiteRun run = new SuiteRun(new Deviating(List.of(excuse)), 1);
      List<RowResult> results = run.run(List.of(stuck, next), _ -> true).results();
      assertEquals(Verdict.FAIL, results.getFirst().verdict());
      String reason = results.getFirst().reason();
      assertTrue(reason.startsWith("it did not end within 1 s; it waits in"), reason);
      assertTrue(reason.contains("CompletableFuture.join"), reason);
      assertEquals(Verdict.PASS, results.getLast().verdict());
    } finally {
      kernel.complete(null);
    }
  }

  @Test
  void refusesADeviationWithoutAReason() {
    assertThrows(IllegalArgumentException.class, () -> new Deviation("X-1", " "));
  }

  @Test
  void anEmptyReportDoesNotConform() {
    assertFalse(new SuiteReport("b", "d", List.of()).conforms());
  }

  /** The fabric with deviations, and without virtual time. */
  private record Deviating(List<Deviation> deviations) implements Backend {
    private static final FabricBackend FABRIC = new FabricBackend(1);

    @Override
    public String name() {
      return "deviating";
    }

    @Override
    public String description() {
      return "a fabric";
    }

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.complementOf(EnumSet.of(Capability.VIRTUAL_TIME));
    }

    @Override
    public Link open() {
      return FABRIC.open();
    }

    @Override
    public void close() {}
  }
}
