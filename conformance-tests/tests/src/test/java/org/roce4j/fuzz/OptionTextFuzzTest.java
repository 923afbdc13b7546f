package org.roce4j.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.roce4j.fabric.LinkModel;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.simulation.SimulationOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Texts on command lines: fault plans, link models, options of the simulation, addresses. */
class OptionTextFuzzTest {
  private static final List<Function<String, Object>> READERS =
      List.of(FaultPlan::parse, LinkModel::parse, SimulationOptions::parse, Gid::parse);

  /** The first byte chooses the reader: 0 to 3 as digits. */
  @FuzzTest(maxDuration = "1m")
  void aTextIsUnderstoodAsItIsPrintedOrRefusedWithARemedy(byte[] bytes) {
    if (bytes == null || bytes.length == 0) {
      return;
    }
    Function<String, Object> reader = READERS.get((bytes[0] & 0xff) % READERS.size());
    String printed;
    try {
      printed = read(reader, new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8));
    } catch (VerbsException refused) {
      assertEquals(Errno.EINVAL, refused.errno());
      assertFalse(refused.remedy().isBlank());
      return;
    }
    assertEquals(printed, read(reader, printed));
  }

  private static String read(Function<String, Object> reader, String text) {
    return reader.apply(text).toString();
  }
}
