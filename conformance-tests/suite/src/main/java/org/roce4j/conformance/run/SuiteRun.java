package org.roce4j.conformance.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.RowSkipped;

/**
 * Runs rows against a backend, each on a new bench. A call of a kernel may never return; on a
 * kernel's device a row that does not end in time fails, and its thread is abandoned.
 */
public final class SuiteRun {
  /** The slowest row took a third of this on an emulated processor of a busy machine. */
  private static final long PATIENCE_SECONDS = 300;

  private final Backend backend;
  private final DeclaredDeviations deviations;
  private final boolean kernel;
  private final long patienceSeconds;

  /** A run against a backend, with the deviations that the backend declares. */
  public SuiteRun(Backend backend) {
    this(backend, PATIENCE_SECONDS);
  }

  /**
   * A run against a backend, with these deviations.
   *
   * @param patienceSeconds time after which a row on a kernel's device fails
   */
  SuiteRun(Backend backend, long patienceSeconds) {
    this.backend = backend;
    deviations = new DeclaredDeviations(backend.deviations());
    kernel = backend.capabilities().contains(Capability.KERNEL_DEVICE);
    this.patienceSeconds = patienceSeconds;
  }

  /**
   * Runs these rows in order.
   *
   * @param each receives every result at once; returns whether to go on
   */
  public SuiteReport run(List<Row> rows, Predicate<RowResult> each) {
    List<RowResult> results = new ArrayList<>();
    for (Row row : rows) {
      RowResult result = run(row);
      results.add(result);
      if (!each.test(result)) {
        break;
      }
    }
    return new SuiteReport(backend.name(), backend.description(), List.copyOf(results));
  }

  /**
   * Runs one row, unless the device would not survive it, and compares the result with the declared
   * deviations.
   */
  public RowResult run(Row row) {
    return deviations
        .fatal(row)
        .orElseGet(() -> kernel ? inTime(row) : deviations.hold(judge(row)));
  }

  /** A declared deviation excuses a failure, but not a row that never ends. */
  private RowResult inTime(Row row) {
    FutureTask<RowResult> judgement = new FutureTask<>(() -> judge(row));
    Thread thread = Thread.ofPlatform().daemon().name(row.id()).start(judgement);
    try {
      return deviations.hold(judgement.get(patienceSeconds, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      AssertionError endless =
          new AssertionError("it did not end within " + patienceSeconds + " s" + place(thread));
      endless.setStackTrace(thread.getStackTrace());
      return failure(row, endless);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException none) {
        throw none; // there is no device
      }
      throw (Error) e.getCause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failure(row, e);
    }
  }

  /** The verb in which a thread waits, and its caller. */
  private static String place(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    for (int i = 0; i < stack.length; i++) {
      if (stack[i].getClassName().startsWith("org.roce4j.conformance.")) {
        return (i == 0 ? "" : "; it waits in " + stack[i - 1]) + ", at " + stack[i];
      }
    }
    return "";
  }

  private RowResult judge(Row row) {
    Bench bench = new Bench(backend.open(), backend.capabilities());
    try {
      row.check().run(bench);
    } catch (RowSkipped e) {
      return closed(bench, new RowResult(row, Verdict.SKIPPED, e.getMessage(), null));
    } catch (RuntimeException | AssertionError e) {
      return closed(bench, failure(row, e));
    }
    return closed(bench, new RowResult(row, Verdict.PASS, "", null));
  }

  private static RowResult closed(Bench bench, RowResult result) {
    try {
      bench.close();
      return result;
    } catch (RuntimeException | AssertionError e) {
      return result.verdict() == Verdict.FAIL ? result : failure(result.row(), e);
    }
  }

  private static RowResult failure(Row row, Throwable e) {
    String message = e.getMessage();
    boolean ours = e instanceof AssertionError && message != null;
    return new RowResult(row, Verdict.FAIL, ours ? message : String.valueOf(e), e);
  }
}
