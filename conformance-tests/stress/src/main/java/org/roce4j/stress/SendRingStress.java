package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;

/**
 * A thread posts three requests into a growing ring while the engine's owner starts them and writes
 * their PSNs: no PSN is lost when the ring grows, and no request is torn.
 */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "each as it was posted, with its notes")
@Outcome(expect = FORBIDDEN, desc = "a note was lost, or a request torn")
@State
public class SendRingStress {
  private static final int REQUESTS = 3;
  private static final int FIRST_PSN = 1000;

  private final SendQueue ring = new SendQueue(4, 1, 8);
  private int started;

  @Actor
  public void posterPosts() {
    for (int i = 0; i < REQUESTS; i++) {
      MemorySegment request = MemorySegment.ofArray(new long[SendWrLayout.SIZE / Long.BYTES + 1]);
      SendWrLayout.wrId(request, 0, i);
      ring.lock();
      int slot = ring.claim();
      ring.fill(slot, request, 0, WrOpcode.SEND);
      ring.fillDestination(slot, null, i, i);
      ring.filled();
      ring.publish();
      ring.unlock();
    }
  }

  @Actor
  public void ownerStarts() {
    for (int i = 0; i < REQUESTS; i++) {
      start();
    }
  }

  private void start() {
    if (started < ring.end()) {
      ring.started(ring.slot(started), FIRST_PSN + started, started + 1, 1);
      started++;
    }
  }

  @Arbiter
  public void result(I_Result r) {
    while (started < ring.end()) {
      start();
    }
    int faults = started == REQUESTS ? 0 : 100;
    for (int i = 0; i < started; i++) {
      int slot = ring.slot(i);
      boolean whole =
          ring.wrId(slot) == i
              && ring.remoteQpn(slot) == i
              && ring.firstPsn(slot) == FIRST_PSN + i
              && ring.packets(slot) == i + 1;
      faults += whole ? 0 : 1;
    }
    r.r1 = faults;
  }
}
