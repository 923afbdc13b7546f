package org.roce4j.hardware.bindings;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** A library whose structures have another layout is refused, and the message names the field. */
@EnabledOnOs(OS.LINUX)
class LayoutCheckTest {
  private static final long DEVICE = 0x7f00_1234_5678L;
  private static final int CLOSED = 1 << 20;

  @AutoClose private final Arena arena = Arena.ofConfined();
  private MemorySegment context;

  /** A structure as a library of the known layout fills it. */
  @BeforeEach
  void openContext() {
    context = arena.allocate(IbvContext.SIZE, 8);
    context.set(ValueLayout.JAVA_LONG, IbvContext.DEVICE, DEVICE);
    context.set(ValueLayout.JAVA_INT, IbvContext.NUM_COMP_VECTORS, 1);
    int open = anOpenDescriptor();
    context.set(ValueLayout.JAVA_INT, IbvContext.CMD_FD, open);
    context.set(ValueLayout.JAVA_INT, IbvContext.ASYNC_FD, open);
  }

  /** The virtual machine itself has libraries open. */
  private static int anOpenDescriptor() {
    for (int descriptor = 3; descriptor < 64; descriptor++) {
      if (Descriptors.isOpen(descriptor)) {
        return descriptor;
      }
    }
    throw new AssertionError("no open descriptor");
  }

  private String refusal() {
    VerbsException refused =
        refused(Errno.ELIBBAD, () -> LayoutCheck.context(context.address(), DEVICE));
    assertTrue(refused.getMessage().contains("rdma-core"), refused::getMessage);
    return refused.getMessage();
  }

  @Test
  void theKnownLayoutIsTaken() {
    assertDoesNotThrow(() -> LayoutCheck.context(context.address(), DEVICE));
  }

  @Test
  void aContextOfAnotherDeviceNamesBothPointers() {
    context.set(ValueLayout.JAVA_LONG, IbvContext.DEVICE, 0xabcL);
    String message = refusal();
    assertTrue(message.contains("ibv_context.device is abc, not 7f0012345678"), message);
  }

  @ParameterizedTest
  @ValueSource(ints = {IbvContext.CMD_FD, IbvContext.ASYNC_FD})
  void aDescriptorThatIsNotOpenIsNamedByItsOffset(int field) {
    for (int value : new int[] {-1, 0, 2, CLOSED}) {
      context.set(ValueLayout.JAVA_INT, field, value);
      String message = refusal();
      assertTrue(message.contains("no open descriptor at offset " + field), message);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, (1 << 16) + 1})
  void aNumberOfVectorsThatCannotBeIsNamed(int vectors) {
    context.set(ValueLayout.JAVA_INT, IbvContext.NUM_COMP_VECTORS, vectors);
    String message = refusal();
    assertTrue(message.contains("ibv_context.num_comp_vectors is " + vectors), message);
  }

  @Test
  void aFieldOfAnObjectJustMadeIsNamedInHexadecimal() {
    VerbsException refused =
        refused(Errno.ELIBBAD, () -> LayoutCheck.same("ibv_qp.pd", 0x10, 0x20));
    assertTrue(refused.getMessage().contains("ibv_qp.pd is 20, not 10"), refused::getMessage);
  }
}
