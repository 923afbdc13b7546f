package org.roce4j.drive;

/** A place where a thread waits: one of these, or a virtual network. */
public interface Place {
  /** The thread waits on sockets. */
  Place SOCKETS = named("sockets");

  /** The thread is about to get a lock or an engine. */
  Place ON_ITS_WAY = named("on its way");

  private static Place named(String name) {
    return new Place() {
      @Override
      public String toString() {
        return name;
      }
    };
  }
}
