package org.roce4j.port;

import java.util.List;
import java.util.Optional;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** A kind of port, found by {@link java.util.ServiceLoader}. */
public interface PortProvider {
  /** Its name for {@code --transport}: {@code linux}, {@code netty}. */
  String name();

  /** Higher is preferred when the transport is chosen automatically. */
  int priority();

  /** The reason why it cannot work here, in one line; empty if it can. */
  Optional<String> unavailable();

  /**
   * Opens and binds.
   *
   * @throws org.roce4j.verbs.VerbsException EADDRINUSE (its message names a free address if there
   *     is one), EADDRNOTAVAIL, EACCES, ENODEV ... with a remedy; nothing stays open
   */
  Port open(PortOptions options);

  /**
   * Opens several ports on the same addresses, one for each engine of a device. Port i receives the
   * datagrams to queue pairs whose number modulo {@code count} is i. Datagrams that cannot be
   * assigned, and datagrams to groups, may arrive at the first port. Any thread may drive each.
   *
   * @param count a power of two
   * @throws org.roce4j.verbs.VerbsException EOPNOTSUPP if this kind of port cannot do this; else as
   *     {@link #open}
   */
  default List<Port> openSeveral(PortOptions options, int count) {
    if (count == 1) {
      return List.of(open(options));
    }
    throw new VerbsException(
        Errno.EOPNOTSUPP,
        Wording.of(
            "the transport %s carries one engine; set engines=1, or transport=linux where it works",
            name()));
  }
}
