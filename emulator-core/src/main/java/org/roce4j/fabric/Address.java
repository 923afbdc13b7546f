package org.roce4j.fabric;

import org.roce4j.verbs.Gid;

/** An address of the fabric: it outlives the port that has it. */
final class Address {
  final Gid gid;
  final long high;
  final long low;

  /** What captures call who has it; empty: by the address. */
  String name = "";

  /** Null while nobody has this address. */
  AddressHolder holder;

  Address(Gid gid) {
    this.gid = gid;
    high = gid.high();
    low = gid.low();
  }

  /** Somebody has it from now on. */
  void takenBy(AddressHolder taker, String called) {
    holder = taker;
    name = called;
  }

  boolean is(long high, long low) {
    return this.low == low && this.high == high;
  }
}
