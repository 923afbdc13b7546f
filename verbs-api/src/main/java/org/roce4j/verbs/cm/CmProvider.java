package org.roce4j.verbs.cm;

import java.util.List;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

/**
 * A backend whose devices have a connection manager. It implements the kernel's part beneath
 * librdmacm; this package implements the library's part for every backend. Thread-safe.
 */
public interface CmProvider extends VerbsProvider {
  /**
   * Opens a channel over these contexts: its ids are bound to them, and a listener at a wildcard
   * address listens on each.
   *
   * @param contexts at least one, each of a device of this provider
   * @throws VerbsException ENODEV if this backend has no connection manager here, with the reason
   *     and the remedy; EINVAL for a closed context
   */
  ProviderChannel openCmChannel(List<Context> contexts);
}
