package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * A shared library opened for good. Functions are asked for with their symbol version, as a linked
 * C program asks for them: libibverbs exports several functions twice, with arguments of different
 * layout. A C library without symbol versions (musl) has but one of each.
 */
final class SharedLibrary {
  private static final int RTLD_NOW = 2;
  private static final Linker LINKER = Linker.nativeLinker();

  private final MemorySegment library;
  private final MethodHandle dlsym;
  private final MethodHandle dlvsym;

  private SharedLibrary(MemorySegment library) {
    this.library = library;
    dlsym = find("dlsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS)).orElseThrow();
    dlvsym = find("dlvsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS)).orElse(null);
  }

  /**
   * Opens a library by the name that the dynamic linker knows or by its path.
   *
   * @return empty when there is no such library
   */
  static Optional<SharedLibrary> open(String name) {
    MethodHandle dlopen =
        find("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT)).orElseThrow();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment opened = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(name), RTLD_NOW);
      return opened.address() == 0 ? Optional.empty() : Optional.of(new SharedLibrary(opened));
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  /** The address of a function, empty when the library has none of that name and version. */
  Optional<MemorySegment> function(String name, String version) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment symbol = arena.allocateFrom(name);
      MemorySegment found =
          dlvsym == null
              ? (MemorySegment) dlsym.invokeExact(library, symbol)
              : (MemorySegment) dlvsym.invokeExact(library, symbol, arena.allocateFrom(version));
      return found.address() == 0 ? Optional.empty() : Optional.of(found);
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  private static Optional<MethodHandle> find(String name, FunctionDescriptor descriptor) {
    return LINKER
        .defaultLookup()
        .find(name)
        .map(function -> LINKER.downcallHandle(function, descriptor));
  }
}
