package org.roce4j.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.roce4j.verbs.Gid;

/**
 * The ports of a device that ids are bound to, in each port space. An address and port belong to
 * one id, unless every id bound to them is shared and none listens. The wildcard address overlaps
 * with every address. Thread-safe.
 */
public final class PortBindings {
  private record Key(int portSpace, int port) {}

  /**
   * The address and port that an id is bound to.
   *
   * @param address null: the wildcard
   */
  public record Binding(int portSpace, int port, Gid address, boolean shared) {
    private boolean overlaps(Binding other) {
      return address == null || other.address == null || address.equals(other.address);
    }

    private Key key() {
      return new Key(portSpace, port);
    }
  }

  /** The number of ephemeral ports: Linux's default ({@code ip_local_port_range}). */
  public static final int EPHEMERAL = 60_999 - 32_768 + 1;

  private static final int FIRST_EPHEMERAL = 32_768;

  private int drawn;

  private final Map<Key, List<Binding>> bound = new HashMap<>();

  /** Compared by identity: two equal bindings are two ids. */
  private final Set<Binding> listening = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Takes a port; false if another id has it. */
  public synchronized boolean take(Binding wanted) {
    List<Binding> others = bound.computeIfAbsent(wanted.key(), _ -> new ArrayList<>());
    for (Binding other : others) {
      if (other.overlaps(wanted) && !(allowsOthers(other) && wanted.shared)) {
        return false;
      }
    }
    others.add(wanted);
    return true;
  }

  private boolean allowsOthers(Binding binding) {
    return binding.shared && !listening.contains(binding);
  }

  /** The next ephemeral port to try; it may be taken. */
  public synchronized int nextEphemeral() {
    return FIRST_EPHEMERAL + drawn++ % EPHEMERAL;
  }

  /** Gives a port back. */
  public synchronized void release(Binding binding) {
    listening.remove(binding);
    List<Binding> others = bound.get(binding.key());
    if (others != null) {
      others.removeIf(other -> other == binding);
      if (others.isEmpty()) {
        bound.remove(binding.key());
      }
    }
  }

  /** Marks the binding as listening, which shares its port with none; false if another has it. */
  public synchronized boolean listen(Binding binding) {
    for (Binding other : bound.get(binding.key())) {
      if (other != binding && other.overlaps(binding)) {
        return false;
      }
    }
    listening.add(binding);
    return true;
  }

  /** Unmarks a binding that could not listen on every device. */
  public synchronized void listenNoMore(Binding binding) {
    listening.remove(binding);
  }

  /** The number of bindings. */
  public synchronized int size() {
    return bound.values().stream().mapToInt(List::size).sum();
  }
}
