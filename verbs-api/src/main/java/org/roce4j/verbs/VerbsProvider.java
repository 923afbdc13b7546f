package org.roce4j.verbs;

import java.util.List;
import java.util.Optional;

/**
 * A backend: it lists its devices. Found by {@link java.util.ServiceLoader}. Listing opens nothing:
 * no socket is bound and no memory reserved before {@link RdmaDevice#open()}.
 */
public interface VerbsProvider {
  /** A short name such as {@code emulator} or {@code hardware}. */
  String name();

  /** The devices of this backend now; empty when there are none. Never throws. */
  List<RdmaDevice> devices();

  /** Why this backend has no devices, and how to get some; empty when it works. */
  Optional<String> unavailable();
}
