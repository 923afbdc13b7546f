package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.List;

/** The members of a group, in the order in which they joined. */
final class MulticastGroup {
  final long high;
  final long low;
  private final List<Address> members = new ArrayList<>();
  private final List<Integer> joins = new ArrayList<>();

  MulticastGroup(long high, long low) {
    this.high = high;
    this.low = low;
  }

  int size() {
    return members.size();
  }

  Address member(int index) {
    return members.get(index);
  }

  boolean has(Address address) {
    return members.contains(address);
  }

  void join(Address address) {
    int i = members.indexOf(address);
    if (i < 0) {
      members.add(address);
      joins.add(1);
    } else {
      joins.set(i, joins.get(i) + 1);
    }
  }

  /** Undoes one join; false if the address was not a member. */
  boolean leave(Address address) {
    int i = members.indexOf(address);
    if (i < 0) {
      return false;
    }
    if (joins.get(i) > 1) {
      joins.set(i, joins.get(i) - 1);
    } else {
      members.remove(i);
      joins.remove(i);
    }
    return true;
  }

  void leaveAltogether(List<Address> left) {
    for (int i = members.size() - 1; i >= 0; i--) {
      if (left.contains(members.get(i))) {
        members.remove(i);
        joins.remove(i);
      }
    }
  }
}
