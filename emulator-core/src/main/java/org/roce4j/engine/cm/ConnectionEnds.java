package org.roce4j.engine.cm;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.mad.Req;

/**
 * The ends of connections by the ids in messages. Their number is bounded, including ends in time
 * wait. The GUID and the numbers that a peer names are its own at its address alone: a host that
 * names another's does not keep that one from connecting.
 */
final class ConnectionEnds {
  /** The greatest number of ends: that of the ports of a service. */
  static final int MOST = 1 << 16;

  /** The greatest number of ends when a peer asks for another: the program, too, needs some. */
  static final int MOST_OF_PEERS = MOST - MOST / 8;

  /**
   * An id or a queue pair of the device that has a GUID at an address. Peers choose the numbers,
   * perhaps all of one hash; a hash map searches those in their order.
   */
  private record Remote(int number, long caGuid, long high, long low)
      implements Comparable<Remote> {
    private static final Comparator<Remote> ORDER =
        Comparator.comparingLong(Remote::caGuid)
            .thenComparingInt(Remote::number)
            .thenComparingLong(Remote::high)
            .thenComparingLong(Remote::low);

    @Override
    public int compareTo(Remote other) {
      return ORDER.compare(this, other);
    }

    static Remote at(Path path, int number, long caGuid) {
      return new Remote(number, caGuid, path.remoteHigh(), path.remoteLow());
    }
  }

  private final Map<Integer, CmConnection> byLocalId = new HashMap<>();
  private final Map<Remote, CmConnection> byRemoteId = new HashMap<>();
  private final Map<Remote, CmConnection> byRemoteQp = new HashMap<>();
  private final RecentAnswers<Req> rejections = new RecentAnswers<>();

  /** Combined with ids by exclusive or, so that they cannot be guessed. */
  private final int idOperand;

  /** The next id, before it is combined. */
  private int nextId;

  /**
   * @param idOperand combined with ids, so that they cannot be guessed
   */
  ConnectionEnds(int idOperand) {
    this.idOperand = idOperand;
  }

  /** The requests that programs have rejected, whose ends are gone. */
  RecentAnswers<Req> rejections() {
    return rejections;
  }

  boolean full() {
    return byLocalId.size() >= MOST;
  }

  boolean fullForPeers() {
    return byLocalId.size() >= MOST_OF_PEERS;
  }

  int size() {
    return byLocalId.size();
  }

  /** An id that no end has; never 0, which means none. */
  int freshId() {
    int id;
    do {
      id = nextId++ ^ idOperand;
    } while (id == 0 || isTaken(id));
    return id;
  }

  /** Whether an end has an id. */
  boolean isTaken(int localId) {
    return byLocalId.containsKey(localId);
  }

  void add(CmConnection end) {
    byLocalId.put(end.localId(), end);
  }

  /** Records the peer of an end. */
  void join(CmConnection end, int remoteId, int remoteQpn, long caGuid) {
    Path path = end.route().path();
    byRemoteId.put(Remote.at(path, remoteId, caGuid), end);
    byRemoteQp.put(Remote.at(path, remoteQpn, caGuid), end);
  }

  void remove(CmConnection end) {
    byLocalId.remove(end.localId(), end);
    Path path = end.route().path();
    byRemoteId.remove(Remote.at(path, end.remoteId(), end.remoteGuid()), end);
    byRemoteQp.remove(Remote.at(path, end.remoteQpn(), end.remoteGuid()), end);
  }

  /**
   * The end with these ids, or null.
   *
   * @param remoteId 0 for an end that does not know its peer's id yet
   */
  CmConnection find(int localId, int remoteId) {
    CmConnection end = byLocalId.get(localId);
    return end != null && end.remoteId() == remoteId ? end : null;
  }

  /**
   * The end whose peer has an id, or null.
   *
   * @param back the way to the peer
   */
  CmConnection byRemoteId(Path back, int remoteId, long caGuid) {
    return byRemoteId.get(Remote.at(back, remoteId, caGuid));
  }

  /** The end whose peer has a queue pair, or null. */
  CmConnection byRemoteQp(Path back, int remoteQpn, long caGuid) {
    return byRemoteQp.get(Remote.at(back, remoteQpn, caGuid));
  }

  @Override
  public String toString() {
    return byLocalId.values().toString();
  }
}
