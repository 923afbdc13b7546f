package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.List;

/** What has happened: counted, hashed, and told to observers. */
final class Journal {
  private static final int DELIVERED = 0;

  private final List<FabricObserver> observers = new ArrayList<>();
  private final FabricCounts counts = new FabricCounts();
  private final RunDigest digest = new RunDigest();

  FabricCounts counts() {
    return counts;
  }

  long digest() {
    return digest.value();
  }

  void tap(FabricObserver observer) {
    observers.add(observer);
  }

  void untap(FabricObserver observer) {
    observers.remove(observer);
  }

  void sent(long nowNs, FabricDatagram datagram) {
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).sent(nowNs, datagram);
    }
  }

  /** Given to a link, or dropped for want of one. */
  void carried(FabricDatagram datagram) {
    counts.countCarried();
    if (datagram.link != null) {
      datagram.link.counts().countCarried();
    }
  }

  void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
    digest.add(nowNs, 1 + reason.ordinal(), datagram);
    counts.countDropped(reason);
    if (datagram.link != null) {
      datagram.link.counts().countDropped(reason);
    }
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).dropped(nowNs, datagram, reason);
    }
  }

  void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
    counts.countDuplicated();
    original.link.counts().countDuplicated();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).duplicated(nowNs, original, copy);
    }
  }

  void corrupted(long nowNs, FabricDatagram datagram, int bits) {
    counts.countCorrupted();
    datagram.link.counts().countCorrupted();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).corrupted(nowNs, datagram, bits);
    }
  }

  void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
    counts.countReordered();
    datagram.link.counts().countReordered();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).delayed(nowNs, datagram, delayNs);
    }
  }

  void delivered(long nowNs, FabricDatagram datagram) {
    digest.add(nowNs, DELIVERED, datagram);
    counts.countDelivered();
    datagram.link.counts().countDelivered();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).delivered(nowNs, datagram);
    }
  }
}
