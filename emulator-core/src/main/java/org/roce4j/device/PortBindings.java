package org.roce4j.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.Gid;

/**
 * The ports of a device that ids are bound to, apart for each port space. An address and a port
 * belong to one id, unless every id that is bound to them allows others and none listens. The
 * wildcard address overlaps with every address. Thread-safe.
 */
public final class PortBindings {
  private record Key(int portSpace, int port) {}

  /**
   * What an id is bound to.
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

  /** How many ephemeral ports there are, as of Linux ({@code ip_local_port_range}). */
  public static final int EPHEMERAL = 60_999 - 32_768 + 1;

  private static final int FIRST_EPHEMERAL = 32_768;

  private int drawn;

  private final Map<Key, List<Binding>> bound = new HashMap<>();

  /** Takes a port; false: another id has it. */
  public synchronized boolean take(Binding wanted) {
    List<Binding> others = bound.computeIfAbsent(wanted.key(), _ -> new ArrayList<>());
    for (Binding other : others) {
      if (other.overlaps(wanted) && !(other.shared && wanted.shared)) {
        return false;
      }
    }
    others.add(wanted);
    return true;
  }

  /** The next ephemeral port, which may be taken. */
  public synchronized int nextEphemeral() {
    return FIRST_EPHEMERAL + drawn++ % EPHEMERAL;
  }

  /** Gives a port back. */
  public synchronized void release(Binding binding) {
    List<Binding> others = bound.get(binding.key());
    if (others != null) {
      others.removeIf(other -> other == binding);
      if (others.isEmpty()) {
        bound.remove(binding.key());
      }
    }
  }

  /** From now on it listens; false: another id is bound to the same. */
  public synchronized boolean listen(Binding binding) {
    return bound.get(binding.key()).stream()
        .noneMatch(other -> other != binding && other.overlaps(binding));
  }

  /** How many there are. */
  public synchronized int size() {
    return bound.values().stream().mapToInt(List::size).sum();
  }
}
