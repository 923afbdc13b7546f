package org.roce4j.tools.explore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.tools.explore.search.Trial;

/**
 * Runs trials, several at a time, with the rules of the base plan before theirs. Each has its own
 * directory.
 */
final class Trials implements AutoCloseable {
  private final Runner runner;
  private final Faults always;
  private final ExecutorService threads;
  private final Path directory;
  private long timeoutNs;

  Trials(Runner runner, Faults always, int jobs) {
    this.runner = runner;
    this.always = always;
    threads = Executors.newFixedThreadPool(jobs);
    try {
      directory = Files.createTempDirectory("roce4j-explore");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sets the time after which a run counts as hanging. */
  void timeoutNs(long value) {
    timeoutNs = value;
  }

  Outcome run(Trial trial) {
    return run(trial, timeoutNs);
  }

  Outcome run(Trial trial, long timeoutNs) {
    Path log = null;
    try {
      log = Files.createTempDirectory(directory, "run");
      Outcome outcome = runner.run(trial.behind(always), log, timeoutNs);
      return new Outcome(
          outcome.end(),
          outcome.failure(),
          outcome.tookNs(),
          outcome.lastLines(),
          ofTrial(trial, outcome.met()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (log != null) {
        DirectoryTree.delete(log);
      }
    }
  }

  /** The report with the rules of the trial numbered from 0. */
  private FaultReport ofTrial(Trial trial, FaultReport met) {
    int first = always.packets().size();
    int end = first + trial.rules().size();
    List<Hit> hits =
        met.hits().stream()
            .filter(hit -> hit.rule() >= first && hit.rule() < end)
            .map(hit -> new Hit(hit.rule() - first, hit.traffic(), hit.nth(), hit.meant()))
            .toList();
    return new FaultReport(met.datagrams(), hits, met.verbs());
  }

  CompletableFuture<Outcome> start(Trial trial) {
    return CompletableFuture.supplyAsync(() -> run(trial), threads);
  }

  /** Runs a trial until it fails as before, or has passed {@code attempts} times. */
  CompletableFuture<Outcome> start(Trial trial, Outcome before, int attempts) {
    return CompletableFuture.supplyAsync(
        () -> {
          Outcome outcome = run(trial);
          for (int i = 1; i < attempts && !outcome.sameAs(before); i++) {
            outcome = run(trial);
          }
          return outcome;
        },
        threads);
  }

  static Outcome await(CompletableFuture<Outcome> outcome) {
    try {
      return outcome.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    threads.close();
    runner.close();
    DirectoryTree.delete(directory);
  }
}
