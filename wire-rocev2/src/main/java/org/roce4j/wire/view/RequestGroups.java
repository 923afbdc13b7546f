package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Makes events of recorded entries. Consecutive entries of one kind at a queue pair, with no packet
 * between them, become one event: for example five hundred receives posted at the start, or the
 * states up to RTS.
 */
final class RequestGroups {
  private record Group(long atNs, int before, List<Recording.Entry> entries) {
    boolean takes(Recording.Entry next, int packetsBefore) {
      return before == packetsBefore && isAlike(entries.getFirst(), next);
    }

    private static boolean isAlike(Recording.Entry first, Recording.Entry next) {
      return switch (first) {
        case Recording.StateChange _ -> next instanceof Recording.StateChange;
        case Recording.Request one ->
            next instanceof Recording.Request other
                && one.operation().equals(other.operation())
                && one.status().equals(other.status());
      };
    }

    EndEvent event(String address) {
      return switch (entries.getFirst()) {
        case Recording.StateChange first -> states(address, first);
        case Recording.Request first -> requests(address, first);
      };
    }

    private EndEvent states(String address, Recording.StateChange first) {
      List<String> to =
          entries.stream().map(entry -> ((Recording.StateChange) entry).to()).toList();
      return new EndEvent(
          atNs,
          before,
          address,
          first.queuePair(),
          EndEvent.Kind.STATE,
          String.join(", ", to),
          first.from() + to.stream().map(" to "::concat).collect(Collectors.joining()));
    }

    private EndEvent requests(String address, Recording.Request first) {
      int count = entries.size();
      return new EndEvent(
          atNs,
          before,
          address,
          first.queuePair(),
          first.kind(),
          count == 1
              ? first.text() + " wr " + id(0)
              : String.format(Locale.ROOT, "%,dx %s", count, first.text()),
          first.whole(count)
              + (count == 1 ? ", wr_id " + id(0) : ", wr_id " + id(0) + " to " + id(count - 1)));
    }

    private String id(int index) {
      return Long.toUnsignedString(((Recording.Request) entries.get(index)).wrId());
    }
  }

  private final Map<Integer, String> owners;
  private final List<Group> groups = new ArrayList<>();
  private final Map<Integer, Group> newest = new HashMap<>();
  private int requests;
  private int states;

  /**
   * @param owners the queue pairs of the view, and the address of each
   */
  RequestGroups(Map<Integer, String> owners) {
    this.owners = owners;
  }

  void add(Recording.Entry entry, long atNs, int before) {
    int qp = entry.queuePair();
    if (!owners.containsKey(qp)) {
      return;
    }
    if (entry instanceof Recording.Request) {
      requests++;
    } else {
      states++;
    }
    Group group = newest.get(qp);
    if (group == null || !group.takes(entry, before)) {
      group = new Group(atNs, before, new ArrayList<>());
      groups.add(group);
      newest.put(qp, group);
    }
    group.entries.add(entry);
  }

  /** The number of requests and completions that belong to queue pairs of the view. */
  int requests() {
    return requests;
  }

  /** The number of changes of state that belong to queue pairs of the view. */
  int states() {
    return states;
  }

  List<EndEvent> events() {
    return groups.stream()
        .map(group -> group.event(owners.get(group.entries.getFirst().queuePair())))
        .toList();
  }
}
