package org.roce4j.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The configuration file. */
class ConfigurationFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void anyFileIsUnderstoodOrRefusedWithARemedy(byte[] bytes) throws IOException {
    if (bytes == null) {
      return;
    }
    Path file = Files.createTempFile("fuzz", ".properties");
    try {
      Files.write(file, bytes);
      Configuration configuration =
          Configuration.load(Map.of(Configuration.FILE_KEY, file.toString()));
      for (DeviceOptions device : configuration.devices()) {
        assertFalse(device.addresses().isEmpty());
        assertEquals(device, configuration.applyTo(device), "what was said is said already");
      }
    } catch (VerbsException refused) {
      assertEquals(Errno.EINVAL, refused.errno());
      assertFalse(refused.remedy().isBlank());
    } finally {
      Files.delete(file);
    }
  }
}
