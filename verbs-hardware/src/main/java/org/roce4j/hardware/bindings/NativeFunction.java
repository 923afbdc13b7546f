package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * A C function of the control path. Every argument is a {@code long}, pointers too: at most six are
 * passed, so all are in registers, and a function reads as much of each as its types say.
 */
final class NativeFunction {
  private static final Linker LINKER = Linker.nativeLinker();

  private final MethodHandle handle;

  private NativeFunction(MemorySegment address, FunctionDescriptor descriptor) {
    handle = LINKER.downcallHandle(address, descriptor, Linker.Option.captureCallState("errno"));
  }

  /** A function to call by {@code value}. */
  static NativeFunction ofValue(MemorySegment address, int arguments) {
    return new NativeFunction(address, FunctionDescriptor.of(JAVA_LONG, longs(arguments)));
  }

  /** A function to call by {@code status}. */
  static NativeFunction ofStatus(MemorySegment address, int arguments) {
    return new NativeFunction(address, FunctionDescriptor.of(JAVA_INT, longs(arguments)));
  }

  /** A function to call by {@code run}. */
  static NativeFunction ofNothing(MemorySegment address, int arguments) {
    return new NativeFunction(address, FunctionDescriptor.ofVoid(longs(arguments)));
  }

  private static MemoryLayout[] longs(int count) {
    MemoryLayout[] layouts = new ValueLayout[count];
    Arrays.fill(layouts, JAVA_LONG);
    return layouts;
  }

  private static AssertionError impossible(Throwable thrown) {
    return new AssertionError("a downcall threw", thrown);
  }

  /** Calls a function that returns a pointer or another 64 bits. */
  long value(Frame frame, long a) {
    try {
      return (long) handle.invokeExact(frame.state(), a);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns a pointer or another 64 bits. */
  long value(Frame frame, long a, long b) {
    try {
      return (long) handle.invokeExact(frame.state(), a, b);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns a pointer or another 64 bits. */
  long value(Frame frame, long a, long b, long c, long d, long e) {
    try {
      return (long) handle.invokeExact(frame.state(), a, b, c, d, e);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns a pointer or another 64 bits. */
  long value(Frame frame, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) handle.invokeExact(frame.state(), a, b, c, d, e, f);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame) {
    try {
      return (int) handle.invokeExact(frame.state());
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame, long a) {
    try {
      return (int) handle.invokeExact(frame.state(), a);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame, long a, long b) {
    try {
      return (int) handle.invokeExact(frame.state(), a, b);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame, long a, long b, long c) {
    try {
      return (int) handle.invokeExact(frame.state(), a, b, c);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame, long a, long b, long c, long d) {
    try {
      return (int) handle.invokeExact(frame.state(), a, b, c, d);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame, long a, long b, long c, long d, long e) {
    try {
      return (int) handle.invokeExact(frame.state(), a, b, c, d, e);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns an {@code int}. */
  int status(Frame frame, long a, long b, long c, long d, long e, long f) {
    try {
      return (int) handle.invokeExact(frame.state(), a, b, c, d, e, f);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns nothing. */
  void run(Frame frame, long a) {
    try {
      handle.invokeExact(frame.state(), a);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls a function that returns nothing. */
  void run(Frame frame, long a, long b) {
    try {
      handle.invokeExact(frame.state(), a, b);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }
}
