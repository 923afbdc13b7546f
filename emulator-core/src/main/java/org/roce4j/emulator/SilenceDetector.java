package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.roce4j.device.CallSite;
import org.roce4j.verbs.text.Wording;

/**
 * Reports in one line what a program waits for, if no request has completed for two seconds
 * although a thread waits in a verb or polls: for a receive that was not posted, an event that was
 * not acknowledged, a poll with nothing outstanding. It checks from its own thread, takes no lock
 * and stops no thread. It repeats the line after twice the time, and so on.
 */
public final class SilenceDetector implements AutoCloseable {
  private static final long LOOK_MS = 250;
  private static final int FIRST_QUIET_LOOKS = 8;

  private final List<EmulatedDevice> devices;
  private final Thread watched;
  private final long lookMs;
  private final Consumer<String> told;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * Starts to check.
   *
   * @param devices devices to observe, opened or not
   * @param watched a thread that may poll, such as a test's
   * @param told receives the line, on the detector's thread
   */
  public SilenceDetector(
      List<? extends EmulatedDevice> devices, Thread watched, Consumer<String> told) {
    this(devices, watched, told, LOOK_MS);
  }

  /**
   * @param lookMs milliseconds between checks
   */
  SilenceDetector(
      List<? extends EmulatedDevice> devices, Thread watched, Consumer<String> told, long lookMs) {
    this.lookMs = lookMs;
    this.devices = List.copyOf(devices);
    this.watched = watched;
    this.told = told;
    // With the thread locals of the program's thread, a virtual network would wait for this one.
    Thread.ofPlatform()
        .name("roce4j-silence")
        .daemon()
        .inheritInheritableThreadLocals(false)
        .start(this::run);
  }

  private void run() {
    Quiet quiet = new Quiet();
    try {
      while (!closed.await(lookMs, TimeUnit.MILLISECONDS)) {
        if (quiet.isLongAfter(devices.stream().mapToLong(EmulatedDevice::completed).sum())) {
          tell(quiet.looks * lookMs / 1e3);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The number of successive checks without a completion in between. */
  static final class Quiet {
    private long last = -1;
    private int looks;
    private int enough = FIRST_QUIET_LOOKS;

    /** Counts a check. Returns whether the line is due: after twice as many checks each time. */
    boolean isLongAfter(long completed) {
      looks = completed == last ? looks + 1 : 0;
      last = completed;
      if (looks == 0) {
        enough = FIRST_QUIET_LOOKS;
      }
      boolean isLong = looks >= enough;
      enough = isLong ? 2 * enough : enough;
      return isLong;
    }
  }

  private void tell(double seconds) {
    List<String> clauses = new ArrayList<>(situation(devices));
    String place = placeOf(watched);
    boolean waits = clauses.stream().anyMatch(clause -> clause.startsWith("thread "));
    if (place == null && !waits) {
      return; // the program is busy with something else
    }
    if (place != null) {
      clauses.add(Wording.of("thread %s is in %s", watched.getName(), place));
    }
    told.accept(
        Wording.of("nothing has completed for %.0f s: %s", seconds, String.join("; ", clauses)));
  }

  /** A clause for everything for which devices wait. */
  public static List<String> situation(List<? extends EmulatedDevice> devices) {
    List<String> clauses =
        devices.stream().flatMap(device -> device.waitsFor().stream()).distinct().toList();
    boolean requests = clauses.stream().anyMatch(clause -> !clause.startsWith("thread "));
    if (requests) {
      return clauses;
    }
    List<String> all = new ArrayList<>(List.of("no queue pair has a send outstanding"));
    all.addAll(clauses);
    return all;
  }

  /** The verb that a thread has called, and the calling line; null if it is not in a verb. */
  private static String placeOf(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    int caller = 0;
    while (caller < stack.length && CallSite.isInside(stack[caller].getClassName())) {
      caller++;
    }
    boolean verbs =
        Arrays.stream(stack, 0, caller).anyMatch(f -> f.getClassName().startsWith("org.roce4j."));
    return verbs && caller < stack.length
        ? Wording.of("%s, called at %s", stack[caller - 1].getMethodName(), stack[caller])
        : null;
  }

  @Override
  public void close() {
    closed.countDown();
  }

  @Override
  public String toString() {
    return "silence detector of " + devices;
  }
}
