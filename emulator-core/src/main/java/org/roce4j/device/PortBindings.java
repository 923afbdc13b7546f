package org.roce4j.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

  /** The address and port that an id is bound to. */
  public static final class Binding {
    private final Key key;
    private final Gid address;
    private final boolean wildcard;
    private boolean shared;
    private boolean ownFamily;

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

    /**
     * Sets what the id allows.
     *
     * @param ofOthers whether others may be bound to the same address and port
     * @param ofOwnFamily whether it is for addresses of its own family alone
     */
    public Binding allowing(boolean ofOthers, boolean ofOwnFamily) {
      shared = ofOthers;
      ownFamily = ofOwnFamily;
      return this;
    }

    private boolean apart(Binding other) {
      return ownFamily && other.ownFamily && address.isIpv4Mapped() != other.address.isIpv4Mapped();
    }
  }

  /** The number of ephemeral ports: Linux's default ({@code ip_local_port_range}). */
  public static final int EPHEMERAL = 60_999 - 32_768 + 1;

  private static final int FIRST_EPHEMERAL = 32_768;

  private int drawn;

  private final Map<Key, List<Binding>> bound = new HashMap<>();

  /**
   * Takes a port.
   *
   * @return null if it is taken; EADDRINUSE if another id has it; EADDRNOTAVAIL if one of the two
   *     has the wildcard address
   */
  public synchronized Errno take(Binding wanted) {
    Errno refused = conflict(wanted, wanted.shared);
    if (refused == null) {
      bound.computeIfAbsent(wanted.key, _ -> new ArrayList<>()).add(wanted);
    }
    return refused;
  }

  private Errno conflict(Binding wanted, boolean shared) {
    for (Binding other : bound.getOrDefault(wanted.key, List.of())) {
      if (other == wanted || shared && other.shared || wanted.apart(other)) {
        continue;
      }
      if (wanted.wildcard || other.wildcard) {
        return Errno.EADDRNOTAVAIL;
      }
      if (wanted.address.equals(other.address)) {
        return Errno.EADDRINUSE;
      }
    }
    return null;
  }

  /** The next ephemeral port to try; it may be taken. */
  public synchronized int nextEphemeral() {
    return FIRST_EPHEMERAL + drawn++ % EPHEMERAL;
  }

  /** Gives a port back. */
  public synchronized void release(Binding binding) {
    List<Binding> others = bound.get(binding.key);
    if (others != null) {
      others.remove(binding);
      if (others.isEmpty()) {
        bound.remove(binding.key);
      }
    }
  }

  /** Sets what a binding allows from now on. */
  public synchronized void allow(Binding binding, boolean shared, boolean ownFamily) {
    binding.allowing(shared, ownFamily);
  }

  /**
   * The binding shares its port with none from now on, if it has it alone.
   *
   * @return null, or why another id that shares the port prevents it
   */
  public synchronized Errno listen(Binding binding) {
    Errno refused = conflict(binding, false);
    binding.shared &= refused != null;
    return refused;
  }

  /** The number of bindings. */
  public synchronized int size() {
    return bound.values().stream().mapToInt(List::size).sum();
  }
}
