package org.roce4j.verbs;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Waits of a worker of a {@link ForkJoinPool}, for backends. The common pool, where {@code
 * CompletableFuture} and parallel streams run, has one worker on a machine of two processors: while
 * it waits for a message, the task that sends the message must run too. So the pool is told of the
 * wait and replaces the worker meanwhile.
 */
public final class PoolWorker {
  private PoolWorker() {}

  /** Whether the caller is one. Asked first where a wait must not allocate. */
  public static boolean isCaller() {
    return Thread.currentThread() instanceof ForkJoinWorkerThread;
  }

  /**
   * Waits; if the caller is a worker, its pool runs other tasks meanwhile.
   *
   * @return what the wait returns
   */
  public static <T> T await(Supplier<T> wait) {
    if (!isCaller()) {
      return wait.get();
    }
    Wait<T> managed = new Wait<>(wait);
    try {
      ForkJoinPool.managedBlock(managed);
    } catch (InterruptedException e) {
      throw VerbsException.interrupted();
    } catch (RejectedExecutionException e) {
      if (managed.begun) {
        throw e;
      }
      return wait.get(); // the pool may have no more threads
    }
    return managed.result;
  }

  private static final class Wait<T> implements ForkJoinPool.ManagedBlocker {
    private final Supplier<T> wait;
    private boolean begun;
    private T result;

    Wait(Supplier<T> wait) {
      this.wait = wait;
    }

    @Override
    public boolean block() {
      begun = true;
      result = wait.get();
      return true;
    }

    @Override
    public boolean isReleasable() {
      return false;
    }
  }
}
