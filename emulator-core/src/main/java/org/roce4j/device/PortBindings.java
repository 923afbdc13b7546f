package org.roce4j.device;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/**
 * The ports to which ids of a device are bound, in each port space, by the rules of Linux ({@code
 * cma_check_port}). An address and port belong to one id, unless every id bound to them is shared;
 * a listening id is not. The wildcard address overlaps every address, but two ids of different
 * families do not conflict if each is restricted to its own family. Thread-safe.
 */
public final class PortBindings {
  private record Key(int portSpace, int port) {}

  /** The address and port to which an id is bound. Each id has its own object. */
  public static final class Binding {
    private final Key key;
    private final Gid address;
    private final boolean wildcard;

    /**
     * An address and port of an id.
     *
     * @param address for a wildcard the zero address of its family
     */
    public Binding(int portSpace, int port, Gid address, boolean wildcard) {
      key = new Key(portSpace, port);
      this.address = address;
      this.wildcard = wildcard;
    }
  }

  /**
   * The conditions under which other ids may use the same port.
   *
   * @param shared whether other ids may be bound to the same address and port
   * @param ownFamily whether the id is restricted to addresses of its own family
   */
  public record Terms(boolean shared, boolean ownFamily) {}

  /** The number of ephemeral ports: the default of Linux ({@code ip_local_port_range}). */
  public static final int EPHEMERAL = 60_999 - 32_768 + 1;

  private static final int FIRST_EPHEMERAL = 32_768;

  private int drawn;

  private final Map<Key, Map<Binding, Terms>> bound = new HashMap<>();

  public PortBindings() {
    this(0);
  }

  /**
   * @param drawn number of ephemeral ports tried so far; it wraps
   */
  PortBindings(int drawn) {
    this.drawn = drawn;
  }

  /**
   * Takes a port.
   *
   * @return null if that succeeded; EADDRINUSE if another id has it; EADDRNOTAVAIL if one of the
   *     two has the wildcard address
   */
  public synchronized Errno take(Binding wanted, Terms terms) {
    Errno refused = conflict(wanted, terms);
    if (refused == null) {
      bound.computeIfAbsent(wanted.key, _ -> new IdentityHashMap<>()).put(wanted, terms);
    }
    return refused;
  }

  private Errno conflict(Binding wanted, Terms terms) {
    Errno found = null;
    for (Map.Entry<Binding, Terms> each : of(wanted).entrySet()) {
      Binding other = each.getKey();
      boolean apart =
          terms.ownFamily
              && each.getValue().ownFamily
              && wanted.address.isIpv4Mapped() != other.address.isIpv4Mapped();
      if (other == wanted || terms.shared && each.getValue().shared || apart) {
        continue;
      }
      if (wanted.wildcard || other.wildcard) {
        return Errno.EADDRNOTAVAIL;
      }
      if (wanted.address.equals(other.address)) {
        found = Errno.EADDRINUSE;
      }
    }
    return found;
  }

  private Map<Binding, Terms> of(Binding binding) {
    return bound.getOrDefault(binding.key, Map.of());
  }

  /** The next ephemeral port to try, which may be taken already. */
  public synchronized int nextEphemeral() {
    return FIRST_EPHEMERAL + Math.floorMod(drawn++, EPHEMERAL);
  }

  /** Gives a port back. */
  public synchronized void release(Binding binding) {
    Map<Binding, Terms> others = bound.get(binding.key);
    if (others != null) {
      others.remove(binding);
      if (others.isEmpty()) {
        bound.remove(binding.key);
      }
    }
  }

  /** Changes the terms of a binding. */
  public synchronized void allow(Binding binding, Terms terms) {
    of(binding).computeIfPresent(binding, (_, _) -> terms);
  }

  /**
   * Makes a binding exclusive, if no other id shares its port.
   *
   * @return null if that succeeded; otherwise the errno of the conflict
   */
  public synchronized Errno listen(Binding binding) {
    Terms alone = new Terms(false, of(binding).get(binding).ownFamily);
    Errno refused = conflict(binding, alone);
    if (refused == null) {
      allow(binding, alone);
    }
    return refused;
  }

  /** The number of bindings. */
  public synchronized int size() {
    return bound.values().stream().mapToInt(Map::size).sum();
  }
}
