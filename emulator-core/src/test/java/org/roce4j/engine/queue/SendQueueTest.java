package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/** Each field of each kind of request, in each slot, posted or built, while the queue grows. */
class SendQueueTest {
  private static final int REQUESTS = 8;
  private static final int STEPS = 60;

  private final MemorySegment view = Arena.ofAuto().allocate(2048, 64);
  private final MemorySegment far = Arena.ofAuto().allocate(64, 64);
  private final Domain domain = new Domain();
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 1 << 16, 1 << 16);
  private final SendQueue queue =
      SendQueue.extended(
          REQUESTS, PostedRequest.MOST_ENTRIES, PostedRequest.MOST_INLINE, this::copyFar);
  private final Queue<PostedRequest> model = new ArrayDeque<>();

  private boolean copyFar(long address, long bytes, int lkey, MemorySegment to, long at) {
    assertEquals(PostedRequest.FAR_KEY, lkey);
    MemorySegment.copy(far, address - far.address(), to, at, bytes);
    return true;
  }

  private PostedRequest drawn(SplittableRandom random, int kinds) {
    PostedRequest.Kind kind = PostedRequest.Kind.values()[random.nextInt(kinds)];
    return new PostedRequest(
        kind,
        random,
        keys.allocate(domain, MwType.TYPE_2),
        keys.register(domain, view, 0, AccessFlags.LOCAL_WRITE));
  }

  @Property(tries = 60)
  void eachSlotHasTheRequestThatWasPutThere(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SendBatch batch = new SendBatch(queue);
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(3) == 0) {
        int done = random.nextInt(model.size() + 1);
        for (int i = 0; i < done; i++) {
          model.remove();
          queue.retire();
        }
      } else if (random.nextBoolean()) {
        posts(drawn(random, PostedRequest.Kind.FLUSH.ordinal()));
      } else {
        builds(random, batch);
      }
      long index = queue.head();
      assertEquals(model.size(), queue.end() - index);
      for (PostedRequest each : model) {
        each.assertIn(queue, queue.slot(index++));
      }
    }
  }

  /** Each slot has its own, also the one for which the queue has grown. */
  @Test
  void inlineDataOfOneRequestStaysWhileOthersFollow() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < REQUESTS; i++) {
      posts(
          new PostedRequest(
              PostedRequest.Kind.INLINE,
              random,
              keys.allocate(domain, MwType.TYPE_2),
              keys.register(domain, view, 0, AccessFlags.LOCAL_WRITE)));
      long index = queue.head();
      assertEquals(model.size(), queue.end() - index);
      for (PostedRequest each : model) {
        each.assertIn(queue, queue.slot(index++));
      }
    }
  }

  private void posts(PostedRequest request) {
    queue.lock();
    int slot = queue.claim();
    assertEquals(model.size() == REQUESTS, slot < 0);
    if (slot >= 0) {
      request.post(queue, slot, view, far);
      queue.filled();
      queue.publish();
      assertEquals(request.isPatient(), queue.takePatience());
      model.add(request);
    }
    queue.unlock();
  }

  private void builds(SplittableRandom random, SendBatch batch) {
    List<PostedRequest> requests = new ArrayList<>();
    batch.clear();
    for (int i = random.nextInt(4); i > 0; i--) {
      PostedRequest request = drawn(random, PostedRequest.Kind.values().length);
      request.build(batch);
      requests.add(request);
    }
    assertEquals(requests.size(), batch.size());
    boolean room = model.size() + requests.size() <= REQUESTS;
    queue.lock();
    assertEquals(room, queue.append(batch));
    queue.publish();
    if (room) {
      model.addAll(requests);
      boolean patient = requests.stream().allMatch(PostedRequest::isPatient);
      assertEquals(patient, queue.takePatience());
    }
    queue.unlock();
  }

  /** The memory of the requests may end anywhere; the bytes behind it are the program's as well. */
  @ParameterizedTest
  @CsvSource({"1016, false", "1017, true", "1023, true", "1024, true"})
  void inlineDataThatLeavesTheMemoryOfItsRequestIsAskedOfTheProgram(long from, boolean asked) {
    List<Long> addresses = new ArrayList<>();
    InlineSource program =
        (address, bytes, lkey, to, at) -> addresses.add(address) && bytes == 8 && at == 0;
    SendQueue plain = new SendQueue(1, 1, 8, program);
    SendWrLayout.sendFlags(view, 0, SendFlags.INLINE);
    SendWrLayout.numSge(view, 0, 1);
    SendWrLayout.sgList(view, 0, view.address() + 256);
    SgeLayout.addr(view, 256, view.address() + from);
    SgeLayout.length(view, 256, 8);
    plain.lock();
    plain.fill(plain.claim(), view.asSlice(0, 1024), 0, WrOpcode.SEND);
    plain.unlock();
    assertEquals(asked ? List.of(view.address() + from) : List.of(), addresses);
  }

  /** The first and the last byte beside a request, and those next to them. */
  @ParameterizedTest
  @CsvSource({"0, 8, true", "2040, 8, true", "2041, 8, false", "-1, 8, false", "5000, 0, true"})
  void inlineDataIsBesideItsRequestOrNowhere(long from, int bytes, boolean there) {
    SendQueue plain = new SendQueue(1, 1, 8);
    SendWrLayout.sendFlags(view, 0, SendFlags.INLINE);
    SendWrLayout.numSge(view, 0, 1);
    SendWrLayout.sgList(view, 0, view.address() + 256);
    SgeLayout.addr(view, 256, view.address() + from);
    SgeLayout.length(view, 256, bytes);
    plain.lock();
    int slot = plain.claim();
    if (there) {
      plain.fill(slot, view, 0, WrOpcode.SEND);
    } else {
      assertThrows(IndexOutOfBoundsException.class, () -> plain.fill(slot, view, 0, WrOpcode.SEND));
    }
    plain.unlock();
  }
}
