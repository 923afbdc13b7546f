package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** A loop ends after the jumps that it is allowed, and not before. */
class CountedLoopsTest {
  /** Counts downwards to 0: with a negative number, for ever. */
  public static final class Countdown implements LongUnaryOperator {
    @Override
    public long applyAsLong(long from) {
      long turns = 0;
      for (long left = from; left != 0; left--) {
        turns++;
      }
      return turns;
    }
  }

  private static LongUnaryOperator counted() throws IOException, ReflectiveOperationException {
    String name = Countdown.class.getName();
    try (InputStream file =
        CountedLoopsTest.class.getResourceAsStream("CountedLoopsTest$Countdown.class")) {
      byte[] bytes = file.readAllBytes();
      ClassLoader loader =
          new ClassLoader(CountedLoopsTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String wanted, boolean resolve)
                throws ClassNotFoundException {
              if (!wanted.equals(name)) {
                return super.loadClass(wanted, resolve);
              }
              byte[] counted =
                  new CountedLoops().transform(this, name.replace('.', '/'), null, null, bytes);
              return defineClass(name, counted, 0, counted.length);
            }
          };
      return (LongUnaryOperator) loader.loadClass(name).getConstructor().newInstance();
    }
  }

  @Test
  void endsALoopByItsJumps() throws Exception {
    LongUnaryOperator loop = counted();
    CountedLoops.allow(1000);
    assertEquals(1000, loop.applyAsLong(1000));
    assertThrows(AssertionError.class, () -> loop.applyAsLong(1));
    CountedLoops.allow(1000);
    assertThrows(AssertionError.class, () -> loop.applyAsLong(-1));
  }
}
