package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes events of requests. Consecutive requests of one kind at a queue pair, with no packet
 * between them, become one event: for example five hundred receives posted at the start.
 */
final class RequestGroups {
  private record Group(Recording.Request first, long atNs, int before, List<Long> wrIds) {
    boolean takes(Recording.Request next, int packetsBefore) {
      return before == packetsBefore
          && first.operation().equals(next.operation())
          && first.status().equals(next.status());
    }

    EndEvent event(String address) {
      int count = wrIds.size();
      return new EndEvent(
          atNs,
          before,
          address,
          first.queuePair(),
          first.kind(),
          count == 1 ? first.text() + " wr " + id(0) : count + "x " + first.text(),
          first.whole(count)
              + (count == 1 ? ", wr_id " + id(0) : ", wr_id " + id(0) + " to " + id(count - 1)));
    }

    private String id(int index) {
      return Long.toUnsignedString(wrIds.get(index));
    }
  }

  private final Map<Integer, String> owners;
  private final List<Group> groups = new ArrayList<>();
  private final Map<Integer, Group> newest = new HashMap<>();
  private int shown;

  /**
   * @param owners the queue pairs of the view, and the address of each
   */
  RequestGroups(Map<Integer, String> owners) {
    this.owners = owners;
  }

  void add(Recording.Request request, long atNs, int before) {
    int qp = request.queuePair();
    if (!owners.containsKey(qp)) {
      return;
    }
    shown++;
    Group group = newest.get(qp);
    if (group == null || !group.takes(request, before)) {
      group = new Group(request, atNs, before, new ArrayList<>());
      groups.add(group);
      newest.put(qp, group);
    }
    group.wrIds.add(request.wrId());
  }

  /** The number of requests that belong to queue pairs of the view. */
  int shown() {
    return shown;
  }

  List<EndEvent> events() {
    return groups.stream().map(group -> group.event(owners.get(group.first.queuePair()))).toList();
  }
}
