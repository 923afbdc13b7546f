package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/** A closed object answers each question as those of its sibling classes do. */
class ClosedHandlesTest {
  private final XrcRig rig = new XrcRig(1);

  @AfterEach
  void close() {
    rig.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"UC", "UD", "XRC_SEND", "XRC_RECV"})
  void everyQueuePairLikeOneOfRc(QpType type) throws ReflectiveOperationException {
    QueuePair qp =
        switch (type) {
          case XRC_SEND -> rig.initiator();
          case XRC_RECV -> rig.target();
          default -> plain(type);
        };
    assertAlike(QueuePair.class, plain(QpType.RC), qp);
  }

  private QueuePair plain(QpType type) {
    return rig.nearPd.createQp(
        new QpInitAttr().qpType(type).cq(rig.nearCq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
  }

  @Test
  void everySharedReceiveQueueLikeAPlainOne() throws ReflectiveOperationException {
    XrcRig.Receiver there = rig.receiver();
    SharedReceiveQueue plain = there.pd.createSrq(new SrqInitAttr(1, 1));
    assertAlike(SharedReceiveQueue.class, plain, there.srq);
  }

  private static <T extends AutoCloseable> void assertAlike(Class<T> kind, T one, T other)
      throws ReflectiveOperationException {
    close(one);
    close(other);
    Map<String, String> wanted = answers(kind, one);
    assertTrue(wanted.containsValue("EINVAL"), wanted::toString);
    assertEquals(wanted, answers(kind, other));
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The errno of each call without arguments, or that it answers. */
  private static Map<String, String> answers(Class<?> kind, Object closed)
      throws ReflectiveOperationException {
    Map<String, String> answers = new TreeMap<>();
    for (Method call : kind.getMethods()) {
      if (call.getParameterCount() == 0 && !Modifier.isStatic(call.getModifiers())) {
        try {
          call.invoke(closed);
          answers.put(call.getName(), "answers");
        } catch (InvocationTargetException e) {
          boolean told = e.getCause() instanceof VerbsException;
          answers.put(
              call.getName(),
              told ? ((VerbsException) e.getCause()).errno().name() : e.getCause().toString());
        }
      }
    }
    return answers;
  }
}
