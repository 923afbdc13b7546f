package org.roce4j.port;

import java.util.Optional;

/** A kind of port, found by {@link java.util.ServiceLoader}. */
public interface PortProvider {
  /** What {@code --transport} calls it: {@code linux}, {@code netty}. */
  String name();

  /** Higher is preferred when the transport is chosen automatically. */
  int priority();

  /** Why it cannot work here, in one line; empty when it can. */
  Optional<String> unavailable();

  /**
   * Opens and binds.
   *
   * @throws org.roce4j.verbs.VerbsException EADDRINUSE (naming a free address where there is one),
   *     EADDRNOTAVAIL, EACCES, ENODEV ... with the remedy; nothing stays open then
   */
  Port open(PortOptions options);
}
