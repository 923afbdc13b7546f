package org.roce4j.examples.flows;

import java.util.concurrent.CompletableFuture;

/** Two programs of a flow, each on a thread of its own. */
final class Peers {
  /** A program that may fail. */
  interface Side {
    void run() throws Exception;
  }

  private Peers() {}

  /** Starts one. */
  static CompletableFuture<Void> start(String name, Side side) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread.ofPlatform()
        .name(name)
        .inheritInheritableThreadLocals(false)
        .start(
            () -> {
              try {
                side.run();
                end.complete(null);
              } catch (Exception | Error e) {
                end.completeExceptionally(e);
              }
            });
    return end;
  }
}
