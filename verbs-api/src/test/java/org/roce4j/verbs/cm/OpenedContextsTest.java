package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

/** The contexts that a connection manager is opened over. */
class OpenedContextsTest {
  /** A backend without a connection manager. */
  private static final VerbsProvider PLAIN =
      new VerbsProvider() {
        @Override
        public String name() {
          return "plain";
        }

        @Override
        public List<RdmaDevice> devices() {
          return List.of();
        }

        @Override
        public Optional<String> unavailable() {
          return Optional.empty();
        }
      };

  static Stream<Arguments> refused() {
    Context plain = new StubVerbs().context(PLAIN);
    Context managed = new LoopbackProvider().context;
    Context foreign = new LoopbackProvider().context;
    return Stream.of(
        Arguments.of(List.of(), Errno.EINVAL, "contexts is empty"),
        Arguments.of(List.of(plain), Errno.EOPNOTSUPP, "'plain' has no connection manager"),
        Arguments.of(List.of(managed, plain), Errno.EINVAL, "several providers"),
        Arguments.of(List.of(managed, managed, foreign), Errno.EINVAL, "several providers"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void areOfOneProviderThatHasOne(List<Context> contexts, Errno errno, String remedy) {
    VerbsException e =
        assertThrows(
            VerbsException.class, () -> RdmaCm.open(contexts.toArray(Context[]::new)).close());
    assertEquals(errno, e.errno());
    assertTrue(e.remedy().contains(remedy), e.remedy());
  }
}
