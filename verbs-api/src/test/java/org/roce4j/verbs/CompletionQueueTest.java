package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.layout.WcLayout;

/** What every backend's completion queue does alike. */
class CompletionQueueTest {
  private int answer;
  private int asked;

  private final CompletionQueue cq =
      (CompletionQueue)
          Proxy.newProxyInstance(
              CompletionQueueTest.class.getClassLoader(),
              new Class<?>[] {CompletionQueue.class},
              (self, method, args) -> {
                if (method.getName().equals("describe")) {
                  return "CQ 1";
                } else if (method.isDefault()) {
                  return InvocationHandler.invokeDefault(self, method, args);
                }
                if (method.getName().equals("poll")) {
                  asked = (int) args[2];
                  return answer;
                }
                return null;
              });

  @Test
  void noMoreIsAskedForThanThereIsRoomFor() {
    try (WorkCompletions room = new WorkCompletions(4)) {
      answer = 2;
      assertEquals(2, cq.poll(room));
      assertEquals(4, asked);
      assertEquals(2, cq.poll(room, 3));
      assertEquals(3, asked);
      assertEquals(2, cq.poll(room, 9));
      assertEquals(4, asked);
      assertEquals(2, cq.pollOrThrow(room));
      answer = 0;
      assertEquals(0, cq.pollOrThrow(room));
      Map<Errno, String> words =
          Map.of(
              Errno.EIO, "it overflowed and lost",
              Errno.EINVAL, "it was destroyed",
              Errno.EFAULT, "the array of completions was freed",
              Errno.ENOMEM, "the device failed");
      words.forEach(
          (errno, why) -> {
            answer = -errno.number();
            String told = refused(errno, () -> cq.pollOrThrow(room)).remedy();
            assertTrue(told.startsWith("CQ 1: " + why), told);
          });
    }
    refused(Errno.EINVAL, () -> assertEquals(0, cq.poll(null)));
    refused(Errno.EINVAL, () -> assertEquals(0, cq.poll(null, 1)));
    refused(Errno.EINVAL, () -> cq.modify(null));
    refused(Errno.EOPNOTSUPP, () -> cq.modify(CqModeration.OFF));
  }

  @Test
  void aFailureIsExplainedAndASuccessIsNot() {
    WorkCompletions found = new WorkCompletions(2);
    found.memory().fill((byte) 0);
    WcLayout.status(found.memory(), WcLayout.SIZE, WcStatus.RETRY_EXC_ERR.value());
    assertEquals(found.toString(0), cq.whyFailed(found, 0));
    String meaning = Explanation.of(WcStatus.RETRY_EXC_ERR).meaning();
    assertEquals(found.toString(1) + ": " + meaning, cq.whyFailed(found, 1));
    assertTrue(meaning.length() > 10);
    for (int index : new int[] {-1, 2}) {
      refused(Errno.EINVAL, () -> cq.whyFailed(found, index));
    }
    refused(Errno.EINVAL, () -> cq.whyFailed(null, 0));
    found.close();
    refused(Errno.EFAULT, () -> cq.whyFailed(found, 0));
  }
}
