package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The source of a library's functions.
 *
 * @param library its name, for messages
 * @param versions prefix of its symbol versions, such as {@code IBVERBS_}
 * @param remedy how to install it
 * @param lookup finds a function by name and symbol version
 */
record LibraryFunctions(String library, String versions, String remedy, Lookup lookup) {

  /** By name and symbol version. */
  interface Lookup {
    /** The address of a function; empty if there is none. */
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
   * @param version symbol version without the prefix
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
