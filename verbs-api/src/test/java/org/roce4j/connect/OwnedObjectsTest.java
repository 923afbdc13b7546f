package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Each object of an end is closed once, whenever it was made and whatever the others did. */
class OwnedObjectsTest {
  private final OwnedObjects owned = new OwnedObjects();
  private final List<String> closed = new ArrayList<>();

  private AutoCloseable named(String name) {
    return () -> closed.add(name);
  }

  private AutoCloseable failing(String name, Exception failure) {
    return () -> {
      closed.add(name);
      throw failure;
    };
  }

  @Test
  void theNewestIsClosedFirstAndEachOnce() {
    List.of("region", "queue pair", "buffer").forEach(name -> owned.add(named(name)));
    owned.close();
    owned.close();
    assertEquals(List.of("buffer", "queue pair", "region"), closed);
  }

  @Test
  void whatIsMadeAfterTheEndIsClosedToo() {
    owned.close();
    VerbsException e = assertThrows(VerbsException.class, () -> owned.add(named("late")));
    assertEquals(Failures.alreadyClosed().errno(), e.errno());
    assertEquals(List.of("late"), closed);
  }

  @Test
  void oneThatRefusesKeepsNoOtherOpen() {
    VerbsException busy = new VerbsException(Errno.EBUSY, "a window is bound");
    IOException broken = new IOException("broken");
    owned.add(named("first"));
    owned.add(failing("second", broken));
    owned.add(failing("third", busy));
    assertSame(busy, assertThrows(VerbsException.class, owned::close));
    assertSame(broken, busy.getSuppressed()[0].getCause());
    assertEquals(List.of("third", "second", "first"), closed);
    owned.close();
    assertEquals(3, closed.size());
  }
}
