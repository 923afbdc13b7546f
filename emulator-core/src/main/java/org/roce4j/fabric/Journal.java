package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Callback;

/**
 * Counts and hashes events, and informs observers. Exceptions of filters and observers affect
 * neither the datagram nor its sender.
 */
final class Journal {
  private static final int DELIVERED = 0;

  private final List<FabricObserver> observers = new ArrayList<>();
  private Consumer<? super Throwable> thrown = Callback::threw;
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

  void onThrown(Consumer<? super Throwable> listener) {
    thrown = listener;
  }

  /** The faults that a filter returns; none if it throws. */
  List<FaultAction> decided(Supplier<List<FaultAction>> filter) {
    try {
      return Objects.requireNonNull(filter.get(), "the filter gave no list of actions");
    } catch (RuntimeException | Error e) {
      thrown.accept(e);
      return FabricFilter.PASS;
    }
  }

  /** Calls all observers, even if one of them throws. */
  private void tell(Consumer<FabricObserver> what) {
    for (int i = 0; i < observers.size(); i++) {
      try {
        what.accept(observers.get(i));
      } catch (RuntimeException | Error e) {
        thrown.accept(e);
      }
    }
  }

  void sent(long nowNs, FabricDatagram datagram) {
    if (!observers.isEmpty()) {
      tell(observer -> observer.sent(nowNs, datagram));
    }
  }

  /** Counts a datagram given to a link, or dropped because there is none. */
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
    if (!observers.isEmpty()) {
      tell(observer -> observer.dropped(nowNs, datagram, reason));
    }
  }

  void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
    counts.countDuplicated();
    original.link.counts().countDuplicated();
    if (!observers.isEmpty()) {
      tell(observer -> observer.duplicated(nowNs, original, copy));
    }
  }

  void forged(long nowNs, FabricDatagram original, FabricDatagram forged) {
    if (!observers.isEmpty()) {
      tell(observer -> observer.forged(nowNs, original, forged));
    }
  }

  void marked(long nowNs, FabricDatagram datagram) {
    if (!observers.isEmpty()) {
      tell(observer -> observer.marked(nowNs, datagram));
    }
  }

  void cut(long nowNs, FabricDatagram datagram, int bytes) {
    if (!observers.isEmpty()) {
      tell(observer -> observer.cut(nowNs, datagram, bytes));
    }
  }

  void corrupted(long nowNs, FabricDatagram datagram, int bits) {
    counts.countCorrupted();
    datagram.link.counts().countCorrupted();
    if (!observers.isEmpty()) {
      tell(observer -> observer.corrupted(nowNs, datagram, bits));
    }
  }

  void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
    counts.countReordered();
    datagram.link.counts().countReordered();
    if (!observers.isEmpty()) {
      tell(observer -> observer.delayed(nowNs, datagram, delayNs));
    }
  }

  void delivered(long nowNs, FabricDatagram datagram) {
    digest.add(nowNs, DELIVERED, datagram);
    counts.countDelivered();
    datagram.link.counts().countDelivered();
    if (!observers.isEmpty()) {
      tell(observer -> observer.delivered(nowNs, datagram));
    }
  }
}
