package org.roce4j.engine;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Gid;

/** Which queue pairs are attached to which group, in the order of attachment. */
public final class MulticastTable {
  private final Map<Gid, Set<QpMachine>> groups = new LinkedHashMap<>();

  /** Made with BLOCK_SELF_MCAST_LB. */
  private final Set<QpMachine> deafToThemselves = new HashSet<>();

  /** From now on it receives nothing that it sends itself; changes nothing if memory runs out. */
  public void blockSelf(QpMachine qp) {
    try {
      deafToThemselves.add(qp);
    } catch (OutOfMemoryError e) {
      deafToThemselves.remove(qp); // a set takes an element, and then may find no memory to grow
      throw e;
    }
  }

  /** It is destroyed. */
  public void forget(QpMachine qp) {
    deafToThemselves.remove(qp);
  }

  /**
   * Whether a queue pair of this device with that number would hear itself and does not want to.
   */
  boolean isBlocked(QpMachine qp, int sourceQp) {
    return qp.qpNum() == sourceQp && deafToThemselves.contains(qp);
  }

  /** Whether it is the first of its group; changes nothing if memory runs out. */
  public boolean attach(Gid group, QpMachine qp) {
    Set<QpMachine> members = groups.get(group);
    try {
      if (members != null) {
        members.add(qp);
        return false;
      }
      groups.put(group, new LinkedHashSet<>(Set.of(qp)));
      return true;
    } catch (OutOfMemoryError e) {
      detachIfAttached(group, qp); // what takes an element may find no memory to grow then
      throw e;
    }
  }

  private void detachIfAttached(Gid group, QpMachine qp) {
    if (attached(group, qp)) {
      detach(group, qp);
    }
  }

  public boolean attached(Gid group, QpMachine qp) {
    return groups.getOrDefault(group, Set.of()).contains(qp);
  }

  public boolean attachedAnywhere(QpMachine qp) {
    return groups.values().stream().anyMatch(members -> members.contains(qp));
  }

  public Set<Gid> groups() {
    return groups.keySet();
  }

  public int members(Gid group) {
    return groups.getOrDefault(group, Set.of()).size();
  }

  /** Whether it was the last of its group. */
  public boolean detach(Gid group, QpMachine qp) {
    Set<QpMachine> members = groups.get(group);
    members.remove(qp);
    if (!members.isEmpty()) {
      return false;
    }
    groups.remove(group);
    return true;
  }

  public Iterable<QpMachine> members(long high, long low) {
    return groups.getOrDefault(new Gid(high, low), Set.of());
  }

  /** Groups a queue pair is in, for taking it out of all of them. */
  public Set<Gid> groupsOf(QpMachine qp) {
    Set<Gid> found = new LinkedHashSet<>();
    groups.forEach(
        (group, members) -> {
          if (members.contains(qp)) {
            found.add(group);
          }
        });
    return found;
  }
}
