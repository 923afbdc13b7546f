package org.roce4j.drive;

/** Where a thread waits, once it has said which thread it is. A virtual network asks for that. */
final class PlaceOfThread {
  private volatile Whereabouts its;

  PlaceOfThread() {
    Whereabouts.ask();
  }

  /** For the thread itself. */
  void isMine() {
    its = Whereabouts.mine();
  }

  boolean is(WaitingPlace place) {
    Whereabouts known = its;
    return known != null && known.place() == place;
  }
}
