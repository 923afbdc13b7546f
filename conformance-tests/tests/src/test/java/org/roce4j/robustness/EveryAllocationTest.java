package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Memory runs out at every place of every control verb: the verb is ENOMEM, and the device is
 * unchanged field by field.
 */
class EveryAllocationTest {
  @Test
  void aVerbThatFindsNoMemoryAnywhereChangesNothing() throws ReflectiveOperationException {
    Class<?> inside = new AllocationLoader().loadClass(VerbsOutOfMemory.class.getName());
    Object complaints = inside.getMethod("complaints").invoke(null);
    assertEquals(
        "", String.join("\n", ((List<?>) complaints).stream().map(Object::toString).toList()));
  }
}
