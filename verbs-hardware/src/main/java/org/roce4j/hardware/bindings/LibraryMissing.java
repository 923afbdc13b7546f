package org.roce4j.hardware.bindings;

/** A library, or a function that this backend needs of it, is not there; says how to get it. */
public final class LibraryMissing extends Exception {
  private static final long serialVersionUID = 1L;

  LibraryMissing(String reason) {
    super(reason);
  }
}
