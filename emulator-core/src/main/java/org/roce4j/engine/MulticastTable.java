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
 * The queue pairs that are attached to each multicast group, in the order of attachment, and the
 * address by which each has joined the group.
 */
public final class MulticastTable {
  /**
   * By group, then by queue pair: the address by which it has joined; null if the queue pair is not
   * yet bound to a port.
   */
  private final Map<Gid, Map<QpMachine, Gid>> groups = new LinkedHashMap<>();

  /** The queue pairs made with BLOCK_SELF_MCAST_LB. */
  private final Set<QpMachine> deafToThemselves = new HashSet<>();

  /** Drops, from now on, the datagrams that a queue pair would receive from itself. */
  public void blockSelf(QpMachine qp) {
    deafToThemselves.add(qp);
  }

  /** Removes a destroyed queue pair, also one whose creation ran out of memory. */
  public void forget(QpMachine qp) {
    deafToThemselves.remove(qp);
  }

  /**
   * Whether a datagram comes from the queue pair itself, which must not receive it.
   *
   * @param sourceQp number of the sender, a queue pair of this device
   */
  boolean isBlocked(QpMachine qp, int sourceQp) {
    return qp.qpNum() == sourceQp && deafToThemselves.contains(qp);
  }

  /**
   * Attaches a queue pair to a group. Changes nothing if memory runs out.
   *
   * @param own address by which it joins; null: none yet
   */
  public void attach(Gid group, QpMachine qp, Gid own) {
    try {
      groups.computeIfAbsent(group, _ -> new LinkedHashMap<>()).put(qp, own);
    } catch (OutOfMemoryError e) {
      detach(group, qp); // a map may have added the entry before it runs out of memory
      throw e;
    }
  }

  /** An attached queue pair has joined the group by another address; null: by none. */
  public void joinedBy(Gid group, QpMachine qp, Gid own) {
    groups.get(group).put(qp, own);
  }

  /**
   * The address by which a queue pair has joined a group; null if it is not attached, or not bound
   * to a port yet.
   */
  public Gid memberOf(Gid group, QpMachine qp) {
    return groups.getOrDefault(group, Map.of()).get(qp);
  }

  /** Calls {@code action} for each group and queue pair that has joined it by this address. */
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

  /** Detaches a queue pair from a group; does nothing if it is not attached. */
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

  /** The groups of a queue pair, as a copy. */
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
