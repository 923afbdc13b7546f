package org.roce4j.broken;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.Psn;

class MistakeTest {
  @Test
  void changesTheCopyAndNotTheOriginal() throws Exception {
    EngineLoader loader = new EngineLoader(Mistake.in("Psn", "add").result(psn -> psn + 1));
    Object sum =
        loader
            .loadClass(Psn.class.getName())
            .getMethod("add", int.class, int.class)
            .invoke(null, 1, 1);
    assertEquals(3, sum);
    assertEquals(2, Psn.add(1, 1));
  }

  static Mistake[] impossible() {
    return new Mistake[] {
      Mistake.in("Psn", "sub").doesNothing(),
      Mistake.in("Psn", "add").call("distance").isLeftOut(),
      Mistake.in("Psn", "add").comparesNothingWith("MASK"),
    };
  }

  @ParameterizedTest
  @MethodSource("impossible")
  void whatIsGoneCannotBeChanged(Mistake mistake) {
    EngineLoader loader = new EngineLoader(mistake);
    Throwable why =
        assertThrows(IllegalStateException.class, () -> loader.loadClass(Psn.class.getName()));
    assertThrows(IllegalStateException.class, () -> loader.loadClass(Psn.class.getName()));
    assertSame(why, assertThrows(IllegalStateException.class, loader::requireMistake).getCause());
  }

  @Test
  void aMistakeInAClassThatNobodyLoadsIsNone() {
    EngineLoader loader = new EngineLoader(Mistake.in("NoSuchClass", "add").doesNothing());
    assertThrows(IllegalStateException.class, loader::requireMistake);
  }
}
