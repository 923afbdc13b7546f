package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PostResultTest {
  @Property
  void packingKeepsErrnoAndIndex(
      @ForAll @IntRange(min = 1) int errno, @ForAll @IntRange(min = 0) int index) {
    long result = PostResult.of(errno, index);
    assertEquals(errno, PostResult.errno(result));
    assertEquals(index, PostResult.badIndex(result));
  }

  @Test
  void successHasNoBadRequest() {
    assertEquals(PostResult.OK, PostResult.of(0, 3));
    assertEquals(0, PostResult.errno(PostResult.OK));
    assertEquals(-1, PostResult.badIndex(PostResult.OK));
  }

  @Test
  void errnoMayBeGivenByName() {
    assertEquals(PostResult.of(12, 5), PostResult.of(Errno.ENOMEM, 5));
  }
}
