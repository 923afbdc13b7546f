package org.roce4j.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assertions;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Dissector;
import org.roce4j.wire.capture.RocePacket;

/** The dissector of IP packets, whose records reproduce all bytes that they were read from. */
class DissectorFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void whatIsDissectedIsEmittedAsItWas(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    for (Dissection dissection : Dissector.dissectIp(ByteBuffer.wrap(bytes))) {
      Assertions.assertFalse(dissection.toString().isEmpty());
      if (dissection instanceof Dissection.Roce(RocePacket packet)) {
        ByteBuffer again = ByteBuffer.wrap(packet.emit().toArray());
        Assertions.assertEquals(new Dissection.Roce(packet), Dissector.dissectIp(again).getFirst());
      }
    }
  }
}
