package org.roce4j.device;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/**
 * The ports of a device that ids are bound to, in each port space, by Linux's rules ({@code
 * cma_check_port}): an address and port belong to one id, unless every id bound to them is shared;
 * an id that listens is not. The wildcard address overlaps with every address, but two ids that are
 * for their own family alone do not meet in different families. Thread-safe.
 */
public final class PortBindings {
  private record Key(int portSpace, int port) {}

  /** The address and port that an id is bound to; each id has its own. */
  public static final class Binding {
    private final Key key;
    private final Gid address;
    private final boolean wildcard;

    /**
     * An address and port of an id.
     *
     * @param address of a wildcard: all zero, of its family
     */
    public Binding(int portSpace, int port, Gid address, boolean wildcard) {
      key = new Key(portSpace, port);
      this.address = address;
      this.wildcard = wildcard;
    }
  }

  /**
   * What an id allows.
   *
   * @param shared whether others may be bound to the same address and port
   * @param ownFamily whether it is for addresses of its own family alone
   */
  public record Terms(boolean shared, boolean ownFamily) {}

  /** The number of ephemeral ports: Linux's default ({@code ip_local_port_range}). */
  public static final int EPHEMERAL = 60_999 - 32_768 + 1;

  private static final int FIRST_EPHEMERAL = 32_768;

  private int drawn;

  private final Map<Key, Map<Binding, Terms>> bound = new HashMap<>();

  public PortBindings() {
    this(0);
  }

  /**
   * @param drawn the number of ports that were drawn before, which wraps
   */
  PortBindings(int drawn) {
    this.drawn = drawn;
  }

  /**
   * Takes a port.
   *
   * @return null if it is taken; EADDRINUSE if another id has it; EADDRNOTAVAIL if one of the two
   *     has the wildcard address
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

  /** The next ephemeral port to try; it may be taken. */
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

  /** Sets what a binding allows from now on. */
  public synchronized void allow(Binding binding, Terms terms) {
    of(binding).computeIfPresent(binding, (_, _) -> terms);
  }

  /**
   * The binding shares its port with none from now on, if it has it alone.
   *
   * @return null, or why another id that shares the port prevents it
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
