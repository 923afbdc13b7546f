package org.roce4j.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.inspect.CaptureInspector;

/** The readers of pcap and pcapng files, and the dissector behind them. */
class CaptureReaderFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void anyFileIsReadToItsEndOrRefused(byte[] bytes) throws IOException {
    if (bytes == null) {
      return;
    }
    Path file = Files.createTempFile("fuzz", ".pcap");
    try {
      Files.write(file, bytes);
      CaptureReader reader;
      try {
        reader = CaptureReader.open(file);
      } catch (IOException neither) {
        return; // neither pcap nor pcapng, or the header is cut
      }
      try (reader) {
        CaptureInspector.Totals totals = CaptureInspector.inspect(reader, packet -> {});
        Assertions.assertTrue(totals.packets() >= totals.icrcOk() + totals.icrcBad());
      }
    } finally {
      Files.delete(file);
    }
  }
}
