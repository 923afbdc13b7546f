package org.roce4j.engine.memory;

import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.text.Wording;

/**
 * Explains why a key gives no access. Called only after an access was refused, because the checks
 * themselves produce no text. Repeats the checks in their order.
 */
final class Denial {
  private final Accessor asking;
  private final String key;
  private final long va;
  private final long length;
  private final int right;

  private Denial(Accessor asking, String key, long va, long length, int right) {
    this.asking = asking;
    this.key = key;
    this.va = va;
    this.length = length;
    this.right = right;
  }

  /**
   * Why an access was refused.
   *
   * @param name {@code lkey} or {@code rkey}
   * @param right the right of {@link AccessFlags} that the access needs; 0: none
   */
  static String why(
      KeyTable keys, Accessor asking, String name, int key, long va, long length, int right) {
    String named = Wording.of("%s 0x%x", name, key);
    Denial denial = new Denial(asking, named, va, length, right);
    return switch (keys.find(key)) {
      case null ->
          named + " names no region or window now: never made, deregistered, or bound anew";
      case Region region -> denial.of(region);
      case Window window ->
          name.equals("lkey") ? named + " is a window's, not a region's" : denial.of(window);
    };
  }

  private String of(Region region) {
    String what = Wording.of("the region of %s", key);
    if (!region.valid()) {
      return what + " was deregistered";
    }
    if (region.domain() != asking.domain()) {
      return what + " belongs to another protection domain than the queue pair";
    }
    return limits(what, region.access(), region.iova(), region.length());
  }

  private String of(Window window) {
    String what = Wording.of("the window of %s", key);
    Window.Binding binding = window.binding();
    if (binding == null) {
      return what + " is not bound";
    }
    if (window.domain() != asking.domain()) {
      return what + " belongs to another protection domain than the queue pair";
    }
    if (window.type() == MwType.TYPE_2 && binding.boundOn() != asking) {
      return what + " is of type 2 and was bound on another queue pair";
    }
    return limits(what, binding.access(), binding.first(), binding.length());
  }

  private String limits(String what, int access, long start, long extent) {
    if ((access & right) != right) {
      return Wording.of(
          "%s grants %s only, %s is needed", what, granted(access), AccessFlags.toString(right));
    }
    if (!MemoryKey.within(va, length, start, extent)) {
      return Wording.of(
          "%s has %d bytes from 0x%x on; %d bytes at 0x%x are not all in it",
          what, extent, start, length, va);
    }
    return what + " lost its memory: the arena was closed, or the mapped file became shorter";
  }

  private static String granted(int access) {
    return access == 0 ? "local reading" : AccessFlags.toString(access);
  }
}
