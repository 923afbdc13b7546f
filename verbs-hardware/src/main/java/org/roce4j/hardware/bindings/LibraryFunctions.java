package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Where the functions of a library are found.
 *
 * @param library its name, for messages
 * @param versions what its symbol versions begin with, such as {@code IBVERBS_}
 * @param remedy how to get it
 * @param lookup finds a function by name and symbol version
 */
record LibraryFunctions(String library, String versions, String remedy, Lookup lookup) {

  /** By name and symbol version. */
  interface Lookup {
    /** The address of a function; empty when there is none. */
    Optional<MemorySegment> function(String name, String version);
  }

  /**
   * Opens a library.
   *
   * @throws LibraryMissing with the remedy
   */
  static Lookup open(String library, String remedy) throws LibraryMissing {
    SharedLibrary opened =
        SharedLibrary.open(library)
            .orElseThrow(() -> new LibraryMissing(library + " is missing: " + remedy));
    return opened::function;
  }

  /**
   * The address of a function.
   *
   * @param version without what all versions of the library begin with
   * @throws LibraryMissing with the remedy
   */
  MemorySegment find(String function, String version) throws LibraryMissing {
    String symbol = versions + version;
    return lookup
        .function(function, symbol)
        .orElseThrow(
            () ->
                new LibraryMissing(library + " has no " + function + "@" + symbol + ": " + remedy));
  }
}
