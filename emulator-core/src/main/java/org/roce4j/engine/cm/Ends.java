package org.roce4j.engine.cm;

import java.util.HashMap;
import java.util.Map;

/**
 * The ends of connections by the ids in messages. Their number is bounded, including ends in time
 * wait.
 */
final class Ends {
  /** The greatest number of ends: that of the ports of a service. */
  static final int MOST = 1 << 16;

  private record Remote(int number, long caGuid) {}

  private final Map<Integer, Connection> byLocalId = new HashMap<>();
  private final Map<Remote, Connection> byRemoteId = new HashMap<>();
  private final Map<Remote, Connection> byRemoteQp = new HashMap<>();
  private final Rejections rejections = new Rejections();
  private final int idOperand;
  private int nextId;

  /**
   * @param idOperand combined with ids, so that they cannot be guessed
   */
  Ends(int idOperand) {
    this.idOperand = idOperand;
  }

  /** The requests that programs have rejected, whose ends are gone. */
  Rejections rejections() {
    return rejections;
  }

  boolean full() {
    return byLocalId.size() >= MOST;
  }

  int size() {
    return byLocalId.size();
  }

  /** An id that no end has; never 0, which means none. */
  int freshId() {
    int id;
    do {
      id = nextId++ ^ idOperand;
    } while (id == 0 || byLocalId.containsKey(id));
    return id;
  }

  void add(Connection end) {
    byLocalId.put(end.localId(), end);
  }

  /** Records the peer of an end. */
  void join(Connection end, int remoteId, int remoteQpn, long caGuid) {
    byRemoteId.put(new Remote(remoteId, caGuid), end);
    byRemoteQp.put(new Remote(remoteQpn, caGuid), end);
  }

  void remove(Connection end) {
    byLocalId.remove(end.localId(), end);
    byRemoteId.remove(new Remote(end.remoteId(), end.remoteGuid()), end);
    byRemoteQp.remove(new Remote(end.remoteQpn(), end.remoteGuid()), end);
  }

  /**
   * The end with these ids, or null.
   *
   * @param remoteId 0 for an end that does not know its peer's id yet
   */
  Connection find(int localId, int remoteId) {
    Connection end = byLocalId.get(localId);
    return end != null && end.remoteId() == remoteId ? end : null;
  }

  Connection byRemoteId(int remoteId, long caGuid) {
    return byRemoteId.get(new Remote(remoteId, caGuid));
  }

  Connection byRemoteQp(int remoteQpn, long caGuid) {
    return byRemoteQp.get(new Remote(remoteQpn, caGuid));
  }

  @Override
  public String toString() {
    return byLocalId.values().toString();
  }
}
