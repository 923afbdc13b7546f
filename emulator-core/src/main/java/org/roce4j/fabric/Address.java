package org.roce4j.fabric;

import org.roce4j.verbs.Gid;

/** An address of the fabric. It outlives the ports that hold it, for a while or for good. */
final class Address {
  final Gid gid;
  final long high;
  final long low;

  /** The name of its holder in captures; empty: the address itself. */
  String name = "";

  /** The port or ports that hold the address; null: none. */
  AddressHolder holder;

  /** Whether the program asked for a link of the address, so that its links stay. */
  boolean kept;

  Address(Gid gid) {
    this.gid = gid;
    high = gid.high();
    low = gid.low();
  }

  /** Sets its holder and the holder's name. */
  void takenBy(AddressHolder taker, String called) {
    holder = taker;
    name = called;
  }

  boolean is(long high, long low) {
    return this.low == low && this.high == high;
  }
}
