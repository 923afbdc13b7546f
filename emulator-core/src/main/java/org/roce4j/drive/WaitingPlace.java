package org.roce4j.drive;

/** A place where a thread waits: one of these, or a virtual network. */
public interface WaitingPlace {
  /** The thread waits on sockets. */
  WaitingPlace SOCKETS = named("sockets");

  /** The thread is about to get a lock or an engine. */
  WaitingPlace ON_ITS_WAY = named("on its way");

  private static WaitingPlace named(String name) {
    return new WaitingPlace() {
      @Override
      public String toString() {
        return name;
      }
    };
  }
}
