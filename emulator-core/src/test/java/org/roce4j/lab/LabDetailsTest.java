package org.roce4j.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.lab.Happening.Kind;

/** What a lab tells in single fields: kinds of events, packets, places in memory. */
class LabDetailsTest {
  private static LabSession play(String... lines) {
    return LabSession.of(Scenario.of("test").then(lines));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "connect a b rnr_retry=0; send a1 text=x; run | gives up | ENGINE",
        "connect a b; key a1 value=1; write a1 text=x; run | refuses | ENGINE",
        "connect a b; send a1 text=x; step times=9 | goes back | ENGINE",
        "connect a b; modify b1 state=RESET; send a1 text=x; step | drops | ENGINE",
        "connect a b; send a1 text=x; run | more would happen | ENGINE",
        "connect a b; send a1 text=x; step | arrives | PACKET",
        "connect a b; send a1 text=x; packet 1 drop | lost | PACKET",
        "connect a b; key a1 value=1; write a1 text=x; run | event | EVENT",
        "connect a b; modify b1 state=RESET | RTS to RESET | STATE",
        "create a; send a1 text=x | refused | REFUSED",
        "connect a b; receive b1; send a1 text=x; run | send a1 text=x completes | COMPLETION",
      })
  void anEventHasItsKind(String play, String what, Kind kind) {
    try (LabSession lab = play(play.split("; "))) {
      Map<Boolean, List<Kind>> kinds =
          lab.happenings().stream()
              .collect(
                  Collectors.partitioningBy(
                      happening -> happening.what().startsWith(what),
                      Collectors.mapping(Happening::kind, Collectors.toList())));
      assertEquals(List.of(kind), kinds.get(true).stream().distinct().toList(), lab::transcript);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "send a1 text=x, RC SEND Only",
    "send a1 text=x imm=1, RC SEND Only Immediate",
    "write a1 text=x, RC RDMA WRITE Only",
    "write a1 text=x imm=1, RC RDMA WRITE Only Immediate",
  })
  void aRequestHasItsOpcode(String request, String opcode) {
    try (LabSession lab = play("connect a b", "receive b1", request)) {
      String words = lab.packets().getFirst().what();
      assertTrue(
          words.startsWith(opcode) && words.contains("Immediate") == request.contains("imm"),
          words);
    }
  }

  /** The path MTU is 256 bytes. */
  @Test
  void aMessageIsCutIntoPackets() {
    try (LabSession lab = play("connect a b", "receive b1 bytes=512", "send a1 bytes=512")) {
      assertEquals(
          List.of(300, 300),
          lab.packets().stream().map(packet -> packet.bytes().length()).toList());
    }
  }

  @Test
  void aMessageIsWrittenWhereTheReceiveSays() {
    try (LabSession lab = play("connect a b", "receive b1 into=4 bytes=8")) {
      LabState.QueuePairState receiver = lab.state().devices().get(1).queuePairs().getFirst();
      assertEquals(List.of("receive b1 into=4 bytes=8"), receiver.receives());
      assertEquals(List.of(), receiver.sends());
      assertEquals("10.0.0.2", lab.state().devices().get(1).address());
      Stream.of("send a1 text=AB", "run").forEach(lab::act);
      assertEquals("000000004142", lab.state().devices().get(1).memory());
    }
  }

  @Test
  void aReadBringsTheBytesThatItAsksFor() {
    String write = "write a1 text=ABCDEF"; // into the memory of both
    try (LabSession lab = play("connect a b", write, "run", "read a1 at=1 into=8 bytes=3", "run")) {
      assertEquals("4142434445460000424344", lab.state().devices().get(0).memory());
    }
  }

  @Test
  void oneAttributeOfAConnectedQueuePairIsChanged() {
    try (LabSession lab = play("connect a b", "modify a1 min_rnr_timer=5")) {
      assertTrue(
          lab.happenings().stream().noneMatch(happening -> happening.kind() == Kind.REFUSED),
          lab::transcript);
    }
  }
}
