package org.roce4j.property;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * The model of verbs-tables 7.1: objects and their users. A used object cannot be destroyed (EBUSY,
 * nothing changes); any other object can.
 */
final class ObjectGraph {
  /** The kinds of objects. */
  enum Kind {
    PD,
    MR,
    MW,
    CQ,
    CHANNEL,
    SRQ,
    QP,
    AH,
    XRCD,
    XRC_SRQ,
    XRC_TARGET,
    /** Another handle of a target queue pair, which outlives the first. */
    XRC_OPENED
  }

  /** An object with the objects that it uses. */
  static final class Node {
    final Kind kind;
    final AutoCloseable handle;
    private final List<Node> uses;
    private int users;

    private Node(Kind kind, AutoCloseable handle, List<Node> uses) {
      this.kind = kind;
      this.handle = handle;
      this.uses = uses;
    }

    List<Node> uses() {
      return uses;
    }

    boolean isUsed() {
      return users > 0;
    }
  }

  private final List<Node> nodes = new ArrayList<>();

  /** The n-th object of a kind, modulo their number; null if there is none. */
  Node pick(Kind kind, int n) {
    List<Node> some = nodes.stream().filter(node -> node.kind == kind).toList();
    return some.isEmpty() ? null : some.get(Math.floorMod(n, some.size()));
  }

  /** The n-th object of any kind, modulo their number; null if there is none. */
  Node pick(int n) {
    return nodes.isEmpty() ? null : nodes.get(Math.floorMod(n, nodes.size()));
  }

  /** Creates an object that uses {@code uses}, unless one of them is missing. */
  void create(Kind kind, Supplier<? extends AutoCloseable> verb, Node... uses) {
    for (Node used : uses) {
      if (used == null) {
        return;
      }
    }
    AutoCloseable handle = verb.get();
    for (Node used : uses) {
      used.users++;
    }
    nodes.add(new Node(kind, handle, List.of(uses)));
  }

  /** Destroys an object, which must be refused exactly if the object is used. */
  void destroy(Node node) {
    Errno errno = null;
    try {
      node.handle.close();
    } catch (VerbsException e) {
      errno = e.errno();
    } catch (Exception e) {
      throw new AssertionError("destroying a " + node.kind, e);
    }
    Errno specified = node.isUsed() ? Errno.EBUSY : null;
    if (errno != specified) {
      throw new AssertionError(
          "destroying a %s with %d users gives %s, the model says %s"
              .formatted(node.kind, node.users, errno, specified));
    }
    if (specified == null) {
      node.uses.forEach(used -> used.users--);
      nodes.remove(node);
    }
  }

  /** Destroys all objects: among the remaining ones there is always an unused one. */
  void destroyAll() {
    while (!nodes.isEmpty()) {
      Node free =
          nodes.stream()
              .filter(node -> !node.isUsed())
              .findFirst()
              .orElseThrow(() -> new AssertionError("every object that is left is used"));
      destroy(free);
    }
  }
}
