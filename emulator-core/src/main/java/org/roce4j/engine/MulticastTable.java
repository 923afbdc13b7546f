package org.roce4j.engine;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Gid;

/**
 * Which queue pairs are attached to which group, in the order of attachment, and by which of the
 * device's addresses each has joined.
 */
public final class MulticastTable {
  /** By group, then by queue pair; null: it is bound to no port yet, and has not joined. */
  private final Map<Gid, Map<QpMachine, Gid>> groups = new LinkedHashMap<>();

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

  /**
   * Changes nothing if memory runs out.
   *
   * @param own the address by which it joins; null: none yet
   */
  public void attach(Gid group, QpMachine qp, Gid own) {
    try {
      groups.computeIfAbsent(group, _ -> new LinkedHashMap<>()).put(qp, own);
    } catch (OutOfMemoryError e) {
      detach(group, qp); // what takes an element may find no memory to grow then
      throw e;
    }
  }

  /** A queue pair that is attached has joined by another address; null: by none. */
  public void joinedBy(Gid group, QpMachine qp, Gid own) {
    groups.get(group).put(qp, own);
  }

  /** The address by which it has joined; null: it is not attached, or bound to no port yet. */
  public Gid memberOf(Gid group, QpMachine qp) {
    return groups.getOrDefault(group, Map.of()).get(qp);
  }

  /** Each group and queue pair that has joined it by this address. */
  public void forEachOf(Gid own, BiConsumer<Gid, QpMachine> action) {
    groups.forEach(
        (group, members) ->
            List.copyOf(members.keySet()).stream()
                .filter(qp -> own.equals(members.get(qp)))
                .forEach(qp -> action.accept(group, qp)));
  }

  public boolean attached(Gid group, QpMachine qp) {
    return groups.getOrDefault(group, Map.of()).containsKey(qp);
  }

  public boolean attachedAnywhere(QpMachine qp) {
    return groups.values().stream().anyMatch(members -> members.containsKey(qp));
  }

  public Set<Gid> groups() {
    return groups.keySet();
  }

  public int members(Gid group) {
    return groups.getOrDefault(group, Map.of()).size();
  }

  /** It is attached no more; no effect if it was not. */
  public void detach(Gid group, QpMachine qp) {
    Map<QpMachine, Gid> members = groups.get(group);
    if (members != null) {
      members.remove(qp);
      if (members.isEmpty()) {
        groups.remove(group);
      }
    }
  }

  public Iterable<QpMachine> members(long high, long low) {
    return groups.getOrDefault(new Gid(high, low), Map.of()).keySet();
  }

  /** Groups a queue pair is in, for taking it out of all of them. */
  public Set<Gid> groupsOf(QpMachine qp) {
    Set<Gid> found = new LinkedHashSet<>();
    groups.forEach(
        (group, members) -> {
          if (members.containsKey(qp)) {
            found.add(group);
          }
        });
    return found;
  }
}
