package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/** A queue pair is a member of its groups by the address of the port to which it is bound. */
class GroupsOfPortsTest implements PlayedPortControl {
  private static final Gid GROUP = Gid.parse("239.1.1.1");

  /** What the port was asked for since the last {@link #asked}. */
  private final List<String> calls = new ArrayList<>();

  private boolean refuses;
  private final QueuePair qp;

  GroupsOfPortsTest() {
    Device device = LoneEngine.ofPorts(Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"));
    device.attach(this, Progress.NONE);
    EmulatedContext context = EmulatedContext.open(device, () -> {});
    qp = context.allocPd().createQp(LoneEngine.init(QpType.UD, context.createCq(8)));
  }

  @Override
  public void join(Gid group, Gid own) {
    if (refuses) {
      throw new VerbsException(Errno.ENODEV, "no such group");
    }
    calls.add("join " + (own == null ? null : own.addressText()));
  }

  @Override
  public void leave(Gid group, Gid own) {
    calls.add("leave " + (own == null ? null : own.addressText()));
  }

  private List<String> asked() {
    List<String> since = List.copyOf(calls);
    calls.clear();
    return since;
  }

  private void bind(int port, int pkeyIndex) {
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(pkeyIndex).portNum(port).qkey(5));
  }

  @Test
  void withoutAPortItIsAMemberOnceItHasOne() {
    qp.attachMulticast(GROUP);
    assertEquals(List.of(), asked());
    bind(1, 0);
    assertEquals(List.of("join 10.0.0.1"), asked());
    qp.detachMulticast(GROUP);
    assertEquals(List.of("leave 10.0.0.1"), asked());
  }

  @Test
  void withoutAPortItLeavesNoGroup() {
    qp.attachMulticast(GROUP);
    qp.detachMulticast(GROUP);
    assertEquals(List.of(), asked());
  }

  @Test
  void anotherPortTakesItsGroupsOver() {
    bind(1, 0);
    qp.attachMulticast(GROUP);
    assertEquals(List.of("join 10.0.0.1"), asked());
    bind(1, 0);
    assertEquals(List.of(), asked());
    bind(2, 0);
    assertEquals(List.of("join 10.0.0.2", "leave 10.0.0.1"), asked());
    qp.detachMulticast(GROUP);
    assertEquals(List.of("leave 10.0.0.2"), asked());
  }

  @Test
  void aChangeThatIsRefusedLeavesItWithItsPort() {
    bind(1, 0);
    qp.attachMulticast(GROUP);
    asked();
    assertThrows(VerbsException.class, () -> bind(2, 9999));
    assertEquals(List.of("join 10.0.0.2", "leave 10.0.0.2"), asked());
    qp.detachMulticast(GROUP);
    assertEquals(List.of("leave 10.0.0.1"), asked());
  }

  /** A field outside the mask may have the value of an earlier call. */
  @Test
  void aPortThatIsNotGivenOrDoesNotExistIsNoneToMoveTo() {
    bind(1, 0);
    qp.attachMulticast(GROUP);
    asked();
    qp.modify(new QpAttr().qpState(QpState.INIT).portNum(2), QpAttrMask.STATE);
    VerbsException refused = assertThrows(VerbsException.class, () -> bind(3, 0));
    assertTrue(refused.remedy().startsWith("portNum must be 1 to 2"), refused::remedy);
    assertEquals(List.of(), asked());
  }

  @Test
  void aGroupThatThePortRefusesMayBeTriedAgain() {
    bind(1, 0);
    refuses = true;
    assertEquals(
        Errno.ENODEV, assertThrows(VerbsException.class, () -> qp.attachMulticast(GROUP)).errno());
    refuses = false;
    qp.attachMulticast(GROUP);
    assertEquals(List.of("join 10.0.0.1"), asked());
  }

  @Test
  void aPortWithoutAnAddressOfTheGroupsVersionHasNoMembers() {
    bind(1, 0);
    VerbsException refused =
        assertThrows(VerbsException.class, () -> qp.attachMulticast(Gid.parse("ff05::7")));
    assertEquals(Errno.EINVAL, refused.errno());
    assertEquals("port 1 has no IPv6 address to join the group by", refused.remedy());
    assertEquals(List.of(), asked());
  }
}
