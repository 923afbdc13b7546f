package org.roce4j.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.roce4j.device.LoneEngine;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;

/** The queue pairs of multicast groups, and the addresses by which they have joined. */
class MulticastTableTest {
  private static final Gid GROUP = Gid.parse("239.1.1.1");
  private static final Gid OTHER = Gid.parse("239.1.1.2");
  private static final Gid OWN = Gid.parse("10.0.0.1");
  private static final Gid SECOND = Gid.parse("10.0.0.2");

  private final LoneEngine lone = new LoneEngine(OWN, Mtu.MTU_1024);
  private final MulticastTable table = new MulticastTable();
  private final QpMachine one = create();
  private final QpMachine two = create();

  private QpMachine create() {
    QpInitAttr init = new QpInitAttr().qpType(QpType.UD).cq(lone.pd.context().createCq(1));
    return lone.engine.queuePairs().find(lone.pd.createQp(init).qpNum());
  }

  private List<QpMachine> members(Gid group) {
    List<QpMachine> all = new ArrayList<>();
    table.members(group.high(), group.low()).forEach(all::add);
    return all;
  }

  @Test
  void aGroupHasItsQueuePairsInTheirOrderAndAQueuePairItsGroups() {
    table.attach(GROUP, two, OWN);
    table.attach(GROUP, one, SECOND);
    table.attach(OTHER, one, null);
    assertEquals(List.of(two, one), members(GROUP));
    assertEquals(2, table.members(GROUP));
    assertEquals(Set.of(GROUP), table.groupsOf(two));
    assertEquals(Set.of(GROUP, OTHER), table.groupsOf(one));
    assertEquals(Set.of(GROUP, OTHER), table.groups());
    assertEquals(OWN, table.memberOf(GROUP, two));
    assertNull(table.memberOf(OTHER, one));
    assertNull(table.memberOf(OTHER, two));
    assertTrue(table.attached(OTHER, one));
    assertFalse(table.attached(OTHER, two));
  }

  @Test
  void aGroupIsGoneWithItsLastQueuePair() {
    table.attach(GROUP, one, OWN);
    table.attach(GROUP, two, OWN);
    table.detach(OTHER, one);
    table.detach(GROUP, one);
    assertEquals(List.of(two), members(GROUP));
    assertFalse(table.attachedAnywhere(one));
    assertTrue(table.attachedAnywhere(two));
    table.detach(GROUP, two);
    assertEquals(Set.of(), table.groups());
    assertEquals(List.of(), members(GROUP));
    assertEquals(0, table.members(GROUP));
  }

  @Test
  void anAddressNamesThoseThatHaveJoinedByIt() {
    table.attach(GROUP, one, OWN);
    table.attach(GROUP, two, null);
    table.attach(OTHER, two, SECOND);
    table.joinedBy(GROUP, two, OWN);
    List<String> joined = new ArrayList<>();
    table.forEachOf(OWN, (group, qp) -> joined.add(group + " " + qp.qpNum()));
    assertEquals(List.of(GROUP + " " + one.qpNum(), GROUP + " " + two.qpNum()), joined);
  }
}
