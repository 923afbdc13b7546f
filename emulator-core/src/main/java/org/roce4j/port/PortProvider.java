package org.roce4j.port;

import java.util.List;
import java.util.Optional;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

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

  /**
   * Opens several ports on the same addresses, for the engines of one device: port i receives what
   * is for queue pairs whose number ends in i, but what it cannot tell, and what is for groups, may
   * arrive at the first. Any thread may drive each.
   *
   * @param count a power of two
   * @throws org.roce4j.verbs.VerbsException EOPNOTSUPP where this kind of port cannot; else as
   *     {@link #open}
   */
  default List<Port> openSeveral(PortOptions options, int count) {
    if (count == 1) {
      return List.of(open(options));
    }
    throw new VerbsException(
        Errno.EOPNOTSUPP,
        "the transport %s carries one engine; set engines=1, or transport=linux where it works"
            .formatted(name()));
  }
}
