package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/**
 * The port of a device is in a group while a queue pair of any engine is attached to it. A port
 * counts its joins; a queue pair that the port refuses is not attached.
 */
class GroupsOfSeveralEnginesTest implements PlayedPortControl {
  private static final int ENGINES = 4;

  private final Map<Gid, Integer> joins = new HashMap<>();
  private boolean full;
  private final Device device = LoneEngine.ofEngines(ENGINES, Gid.parse("10.0.0.1"));

  @Override
  public void join(Gid group, Gid own) {
    if (full) {
      throw new VerbsException(Errno.ENOMEM, "the port takes no group more");
    }
    joins.merge(group, 1, Integer::sum);
  }

  @Override
  public void leave(Gid group, Gid own) {
    int left = joins.merge(group, -1, Integer::sum);
    assertTrue(left >= 0, "left more often than joined");
  }

  /** A table of P_Keys is the device's; each queue pair has the key that it reads there. */
  @Test
  void aChangeOfPartitionsReachesTheQueuePairsOfEveryEngine() {
    List<QueuePair> queuePairs = queuePairs();
    new DeviceChanges(device).pkeys(0xffff, 0x8001);
    for (QueuePair qp : queuePairs) {
      qp.modify(
          new QpAttr().qpState(QpState.INIT).portNum(1).pkeyIndex(1).qkey(1)); // index 1 from now
      assertEquals(0x8001, pkeyOf(qp));
    }
    new DeviceChanges(device).pkeys(0xffff, 0x8002);
    for (QueuePair qp : queuePairs) {
      assertEquals(0x8002, pkeyOf(qp), () -> "engine " + device.engineOf(qp.qpNum()).index());
    }
    queuePairs.getFirst().context().close();
  }

  private int pkeyOf(QueuePair qp) {
    return device.engineOf(qp.qpNum()).queuePairs().find(qp.qpNum()).peer().pkey();
  }

  private List<QueuePair> queuePairs() {
    device.attach(this, Progress.NONE, Collections.nCopies(ENGINES, Progress.NONE));
    Context context = EmulatedContext.open(device, () -> {});
    ProtectionDomain pd = context.allocPd();
    List<QueuePair> queuePairs = new ArrayList<>();
    for (int i = 0; i < 2 * ENGINES; i++) {
      queuePairs.add(
          pd.createQp(
              new QpInitAttr()
                  .qpType(QpType.UD)
                  .cq(context.createCq(1, null, null, i % ENGINES))
                  .cap(new QpCapabilities(1, 1, 1, 1))));
    }
    return queuePairs;
  }

  @Test
  void thePortIsInAGroupAsLongAsAnybodyIs() {
    List<QueuePair> queuePairs = queuePairs();
    List<Gid> groups = List.of(Gid.parse("239.1.1.1"), Gid.parse("239.1.1.2"));
    SplittableRandom random = new SplittableRandom(5);
    Map<Gid, Set<QueuePair>> attached = new HashMap<>();
    for (int i = 0; i < 500; i++) {
      Gid group = groups.get(random.nextInt(groups.size()));
      QueuePair qp = queuePairs.get(random.nextInt(queuePairs.size()));
      Set<QueuePair> members = attached.computeIfAbsent(group, any -> new HashSet<>());
      if (members.remove(qp)) {
        qp.detachMulticast(group);
      } else if (random.nextInt(4) == 0) {
        full = random.nextBoolean();
        try {
          qp.attachMulticast(group);
          members.add(qp);
        } catch (VerbsException refused) {
          assertTrue(full, refused::toString);
          assertThrows(VerbsException.class, () -> qp.detachMulticast(group));
        }
      }
      assertEquals(!members.isEmpty(), joins.getOrDefault(group, 0) > 0, "after step " + i);
    }
    queuePairs.getFirst().context().close();
    assertTrue(joins.values().stream().allMatch(left -> left == 0));
  }
}
