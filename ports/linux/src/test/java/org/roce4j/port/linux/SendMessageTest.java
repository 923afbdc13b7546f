package org.roce4j.port.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.verbs.Gid;

/** Control data as the kernel reads them, each as level, type and value. */
@EnabledOnOs(OS.LINUX)
class SendMessageTest {
  private static final int CONTROL = 32;
  private static final int CONTROL_LENGTH = 40;

  private final SendMessage message = new SendMessage(Arena.ofAuto(), 4791);

  private static Path path(String to, int trafficClass, int hopLimit) {
    Gid gid = Gid.parse(to);
    return NumberedDatagrams.path(gid, gid, trafficClass, hopLimit);
  }

  private String control(int segmentSize) {
    MemorySegment header = message.of(0x1000, 640, segmentSize);
    long length = header.get(JAVA_LONG, CONTROL_LENGTH);
    MemorySegment data = header.asSlice(header.get(JAVA_LONG, CONTROL) - header.address(), length);
    StringBuilder text = new StringBuilder();
    for (long at = 0; at < length; at += 24) {
      int bytes = (int) data.get(JAVA_LONG, at) - 16;
      int value = bytes == 2 ? data.get(JAVA_SHORT, at + 16) : data.get(JAVA_INT, at + 16);
      text.append(data.get(JAVA_INT, at + 8)).append(' ').append(data.get(JAVA_INT, at + 12));
      text.append(' ').append(value).append("; ");
    }
    return text.toString();
  }

  /** IP_TOS 1, IP_TTL 2, IPV6_TCLASS 67, IPV6_HOPLIMIT 52, UDP_SEGMENT 103. */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 0, 64, 0, ''",
    "10.0.0.1, 0x22, 64, 0, '0 1 34; '",
    "10.0.0.1, 0, 9, 0, '0 2 9; '",
    "10.0.0.1, 0xFC, 255, 512, '0 1 252; 0 2 255; 17 103 512; '",
    "239.1.2.3, 0, 64, 0, '0 2 64; '",
    "fd00::1, 0, 64, 0, ''",
    "fd00::1, 0x22, 64, 0, '41 67 34; '",
    "fd00::1, 0, 9, 0, '41 52 9; '",
    "fd00::1, 0x22, 9, 1024, '41 67 34; 41 52 9; 17 103 1024; '",
    "ff15::1, 0, 64, 512, '41 52 64; 17 103 512; '"
  })
  void onlyWhatIsNotOfTheSocketIsTold(
      String to, int trafficClass, int hopLimit, int segmentSize, String told) {
    message.to(path(to, trafficClass, hopLimit), 0);
    assertEquals(told, control(segmentSize));
    assertEquals(told.replaceFirst("17 .*", "").isEmpty(), message.plain());
  }

  @Test
  void anotherPathHasItsOwnControlDataAndAddress() {
    Path marked = path("fd00::1", 2, 9);
    Path plain = path("10.0.0.1", 0, 64);
    message.to(marked, 0);
    message.to(plain, 0);
    assertEquals("", control(0));
    assertEquals(16, message.nameLength());
    message.to(marked, 0);
    message.to(marked, 0);
    assertEquals("41 67 2; 41 52 9; ", control(0));
    assertEquals(28, message.nameLength());
  }
}
