package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The refusal to destroy a used object names the object and its users. */
class UsedObjectTest {
  private static final Set<ObjectKind> NEVER_USED =
      EnumSet.of(ObjectKind.ADDRESS_HANDLE, ObjectKind.MEMORY_WINDOW);

  private static final List<Gid> GROUPS = List.of(Gid.parse("239.1.2.3"), Gid.parse("239.1.2.4"));

  @AutoClose private final Rig rig = new Rig();

  /** One object of each kind, with its users. */
  private final Map<ObjectKind, Users> all = new EnumMap<>(ObjectKind.class);

  private record Users(AutoCloseable used, List<AutoCloseable> users) {}

  private void used(AutoCloseable used, AutoCloseable... users) {
    all.put(((EmulatedObject) used).kind(), new Users(used, List.of(users)));
  }

  private void make() {
    CompletionChannel channel = rig.context.createCompletionChannel();
    CompletionQueue cq = rig.context.createCq(4, null, channel, 0);
    XrcDomain xrcd = rig.context.openXrcd(new XrcdInitAttr());
    ProtectionDomain pd = rig.context.allocPd();
    ThreadDomain td = rig.context.allocTd();
    ProtectionDomain parent = rig.context.allocParentDomain(new ParentDomainInitAttr(pd, td));
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    SharedReceiveQueue xrc =
        rig.context.createSrq(
            new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(xrcd).cq(cq).maxWr(4).maxSge(1));
    QueuePair qp = pd.createQp(rig.init(QpType.RC).recvCq(cq).srq(srq));
    QueuePair sender = pd.createQp(rig.init(QpType.RC).sendCq(cq));
    QueuePair target = rig.context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    DeviceMemory dm = rig.context.allocDm(64, 0);
    AutoCloseable region = pd.registerMemory(rig.memory, 0);
    AutoCloseable part = pd.registerDeviceMemory(dm, 0, 64, AccessFlags.ZERO_BASED);
    AutoCloseable ah = pd.createAh(AhAttr.roce(Rig.NOBODY, 0));
    AutoCloseable window = pd.allocMemoryWindow(MwType.TYPE_2);
    used(pd, parent, srq, xrc, qp, sender, region, part, ah, window);
    used(parent, parent.registerMemory(rig.memory, 0));
    used(td, parent);
    used(srq, qp);
    used(channel, cq);
    used(cq, xrc, qp, sender);
    used(xrcd, xrc, target);
    used(dm, part);
    used(rig.region, bound());
  }

  private MemoryWindow bound() {
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    rig.in(QpState.RTS, QpType.RC, 1)
        .bindMemoryWindow(
            window, 1, 0, rig.region, rig.region.address(), 64, AccessFlags.REMOTE_READ);
    return window;
  }

  @ParameterizedTest
  @EnumSource
  void everyKindThatIsUsedIsRefusedWithItsNameAndThatOfItsUsers(ObjectKind kind) {
    if (kind == ObjectKind.QUEUE_PAIR || NEVER_USED.contains(kind)) {
      return; // a queue pair is used by no object, see the next test
    }
    make();
    Users row = all.get(kind);
    String words = refused(Errno.EBUSY, row.used::close).remedy();
    assertTrue(words.startsWith(row.used + " is used by "), words);
    for (AutoCloseable user : row.users) {
      assertTrue(words.contains(user.toString()), () -> user + " is missing in: " + words);
    }
    assertTrue(words.matches("[^:].*: close (that|those) first"), words);
  }

  @Test
  void whoseUsersGoIsDestroyed() throws Exception {
    make();
    for (ObjectKind kind : all.keySet()) {
      for (AutoCloseable user : all.get(kind).users) {
        closeWithUsers(user);
      }
      all.get(kind).used.close();
    }
  }

  /** Each of its users alone is enough, and when that one is gone, too, it is destroyed. */
  @ParameterizedTest
  @EnumSource
  void isUsedUntilTheLastOfItsUsersHasGone(ObjectKind kind) throws Exception {
    int last = 0;
    do {
      make();
      Users row = all.get(kind);
      if (row == null) {
        return;
      }
      AutoCloseable stays = row.users.get(last);
      for (AutoCloseable user : row.users) {
        if (user != stays && !uses(stays, user)) {
          closeWithUsers(user);
        }
      }
      refused(Errno.EBUSY, row.used::close);
      for (AutoCloseable user : row.users) {
        closeWithUsers(user);
      }
      row.used.close();
      last++;
    } while (last < all.get(kind).users.size());
  }

  private boolean uses(AutoCloseable user, AutoCloseable object) {
    return all.values().stream().anyMatch(row -> row.used == object && row.users.contains(user));
  }

  private void closeWithUsers(AutoCloseable object) throws Exception {
    for (Users row : all.values()) {
      if (row.used == object) {
        for (AutoCloseable user : row.users) {
          closeWithUsers(user);
        }
      }
    }
    object.close();
  }

  @Test
  void aQueuePairInGroupsIsNamedWithThem() {
    QueuePair qp = rig.in(QpState.INIT, QpType.UD, 1);
    GROUPS.forEach(qp::attachMulticast);
    String words = refused(Errno.EBUSY, qp::close).remedy();
    assertTrue(words.startsWith(qp.toString()), words);
    GROUPS.forEach(group -> assertTrue(words.contains(group.addressText()), words));
  }

  @Test
  void ofManyUsersTheFirstAreNamedAndAllAreCounted() {
    ProtectionDomain pd = rig.context.allocPd();
    MemorySegment memory = rig.arena.allocate(64);
    String first = pd.registerMemory(memory, 0).toString();
    for (int i = 1; i < 1000; i++) {
      pd.registerMemory(memory, 0);
    }
    QueuePair qp = pd.createQp(rig.init(QpType.RC));
    String words = refused(Errno.EBUSY, pd::close).remedy();
    assertTrue(words.contains("1000 memory regions (" + first + "; "), words);
    assertTrue(words.contains("1 queue pair (" + qp + ")"), words);
    assertEquals(5, words.split(" on rig", -1).length - 1, words);
  }
}
