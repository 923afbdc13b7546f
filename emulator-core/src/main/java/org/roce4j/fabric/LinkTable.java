package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The links of a fabric, by source address. They outlive ports, but not their addresses. */
final class LinkTable {
  private final Network network;
  private final long seed;
  private final Map<Address, List<FabricLink>> from = new HashMap<>();
  private final List<FabricLink> all = new ArrayList<>();

  /**
   * The last source address that was looked up, and its links; all datagrams of a train have one
   * source.
   */
  private Address last;

  private List<FabricLink> ofLast;

  LinkTable(Network network, long seed) {
    this.network = network;
    this.seed = seed;
  }

  /** The link to an address, or null if there is none yet. */
  FabricLink find(Address source, long high, long low) {
    List<FabricLink> links = of(source);
    for (int i = 0; i < links.size(); i++) {
      FabricLink link = links.get(i);
      if (link.leadsTo(high, low)) {
        return link;
      }
    }
    return null;
  }

  /** The link between two addresses, created with the model if there is none yet. */
  FabricLink link(Address source, Address to, LinkModel model) {
    FabricLink link = find(source, to.high, to.low);
    if (link == null) {
      FabricLink back = find(to, source.high, source.low);
      FabricLink.DatagramCount exchange =
          back == null ? new FabricLink.DatagramCount() : back.exchange();
      link = new FabricLink(network, source, to, exchange, model, seed(source, to));
      of(source).add(link);
      all.add(link);
    }
    return link;
  }

  /**
   * As {@link #link}, for a link that the program may change or read later, so that it is never
   * forgotten.
   */
  FabricLink kept(Address source, Address to, LinkModel model) {
    source.kept = true;
    to.kept = true;
    return link(source, to, model);
  }

  private long seed(Address source, Address to) {
    long mixed = seed;
    for (long half : new long[] {source.high, source.low, to.high, to.low}) {
      mixed = (mixed ^ half) * 0xBF58_476D_1CE4_E5B9L;
      mixed ^= mixed >>> 31;
    }
    return mixed;
  }

  void forEach(Consumer<FabricLink> action) {
    all.forEach(action);
  }

  /** Forgets the links from and to an address, unless a datagram is under way on one of them. */
  boolean forget(Address gone) {
    List<FabricLink> its = all.stream().filter(link -> link.joins(gone)).toList();
    if (!its.stream().allMatch(FabricLink::quiet)) {
      return false;
    }
    all.removeAll(its);
    from.remove(gone);
    from.values().forEach(links -> links.removeAll(its));
    last = null;
    return true;
  }

  private List<FabricLink> of(Address source) {
    if (source != last) {
      last = source;
      ofLast = from.computeIfAbsent(source, any -> new ArrayList<>());
    }
    return ofLast;
  }
}
