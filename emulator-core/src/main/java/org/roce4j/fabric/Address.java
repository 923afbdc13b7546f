package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.Gid;

/** An address of the fabric: it outlives the port that has it, as do the links from it. */
final class Address {
  final Gid gid;
  final long high;
  final long low;

  /** Null while nobody has this address. */
  PortGroup ports;

  private final List<FabricLink> links = new ArrayList<>();

  Address(Gid gid) {
    this.gid = gid;
    high = gid.high();
    low = gid.low();
  }

  boolean is(long high, long low) {
    return this.low == low && this.high == high;
  }

  /** The link to that address, if there is one already. */
  FabricLink linkTo(long high, long low) {
    for (int i = 0; i < links.size(); i++) {
      FabricLink link = links.get(i);
      if (link.to.is(high, low)) {
        return link;
      }
    }
    return null;
  }

  void add(FabricLink link) {
    links.add(link);
  }
}
