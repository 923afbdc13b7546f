package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** Threads that have used a virtual network and have ended. */
@Timeout(60)
class EndedThreadsTest {
  private static final int THREADS = 60;

  /** The state of a thread is read from the kernel while another thread waits for an event. */
  @Test
  void leaveNoDescriptorOfTheirState() throws InterruptedException {
    File open = new File("/proc/self/fd");
    assumeTrue(open.isDirectory());
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1));
        Context context = devices.device("one", Gid.parse("10.0.0.1")).open()) {
      int before = open.list().length;
      for (int i = 0; i < THREADS; i++) {
        CompletableFuture<Void> used = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread user =
            Thread.ofPlatform()
                .start(
                    () -> {
                      context.allocPd().close();
                      used.complete(null);
                      end.join();
                    });
        used.join();
        assertNull(context.getAsyncEvent(1));
        end.complete(null);
        user.join();
      }
      int after = open.list().length;
      assertTrue(after < before + THREADS / 2, before + " descriptors, later " + after);
    }
  }
}
