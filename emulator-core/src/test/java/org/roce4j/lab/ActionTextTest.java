package org.roce4j.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

class ActionTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "create a",
        "create a service=UD",
        "connect a b",
        "connect a b service=XRC timeout=8 rnr_retry=3 path_mtu=512",
        "modify a1 state=RTR peer=b1",
        "modify a1 min_rnr_timer=20",
        "send a1 text=hello",
        "send a1 text='two words' imm=0xffffffff",
        "send a1 from=8 bytes=100 to=b2 queue=1",
        "write a1 text=hello at=64 imm=0x7",
        "send a1 text=größer→",
        "send a1 text=größer→ bytes=3",
        "read a1 at=8 into=16 bytes=100",
        "compare_swap a1 at=8 compare=1 swap=2",
        "fetch_add a1 into=8 add=5",
        "receive b1 into=128 bytes=64 queue=1",
        "key a1",
        "key a1 value=0x80000001",
        "register b",
        "register b rights=write,atomic",
        "register b rights=none",
        "port b down",
        "port b up",
        "packet 5 drop",
        "packet 5 delay=2ms jitter=1us",
        "step",
        "step times=3",
        "run",
        "run for=1ms"
      })
  void aLineIsWrittenAsItWasRead(String line) {
    Action action = ActionText.read(line);
    assertEquals(line, action.text());
    assertEquals(action, ActionText.read(action.text()));
  }

  @Test
  void whatIsNotSaidIsUsual() {
    assertEquals("read a1 bytes=8", ActionText.read("read a1").text());
    assertEquals("receive a1 bytes=64", ActionText.read("receive a1").text());
    assertEquals(
        new Action.Atomic("a1", WrOpcode.ATOMIC_FETCH_AND_ADD, 0, 0, 5, 0),
        ActionText.read("fetch_add a1 add=5"));
  }

  @ParameterizedTest
  @CsvSource({
    "step times=, 10000",
    "read a1 at=, 4096",
    "read a1 bytes=, 4096",
    "send a1 bytes=, 4096",
    "receive a1 bytes=, 4096",
    "send a1 queue=, 1",
    "receive a1 queue=, 1",
    "key a1 value=, 4294967295",
  })
  void aNumberIsBounded(String line, long most) {
    assertNotEquals(ActionText.read(line + (most - 1)), ActionText.read(line + most));
    assertThrows(VerbsException.class, () -> ActionText.read(line + (most + 1)));
  }

  @Test
  void thePacketsHaveNumbersOf31Bits() {
    assertEquals(new Action.Strike(Integer.MAX_VALUE, FaultAction.DROP), packet("2147483647"));
    assertThrows(VerbsException.class, () -> packet("2147483648"));
  }

  private static Action packet(String number) {
    return ActionText.read("packet " + number + " drop");
  }

  @Test
  void aTextHasTheBytesOfUtf8() {
    Action.Send send = (Action.Send) ActionText.read("send a1 text=größer→");
    assertEquals(11, send.payload().bytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-2", "0xfffffffffffffffe", "18446744073709551614"})
  void all64BitsCanBeGiven(String add) {
    Action action = ActionText.read("fetch_add a1 add=" + add);
    assertEquals("fetch_add a1 add=-2", action.text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "~~ | name an action",
        "shout a1 | 'shout' is no action",
        "shout | 'shout' is no action",
        "send | name a queue pair",
        "send a1 colour=red | 'colour=red' is not understood there",
        "send a1 a2 | 'a2' is not understood there",
        "send a1 text=x text=y | 'text' is there twice",
        "receive b1 bytes=5000 | give a whole number from 0 to 4096",
        "create a service=TCP | there are: RC UC UD XRC",
        "modify a1 state=OPEN | 'state=OPEN' is none of",
        "register b rights=execute | 'execute' is no right",
        "packet five drop | give a whole number",
        "packet 5 | give one fault",
        "packet 5 explode | 'explode' is no fault",
        "packet 5 drop nth=2 | packet 5 is chosen by its number",
        "packet 5 loss=5% | packet 5 is chosen by its number",
        "packet 5 drop psn=7 | packet 5 is chosen by its number",
        "fetch_add a1 add=18446744073709551616 | give a whole number",
        "compare_swap a1 swap=0x | give a whole number",
        "port b sideways | 'sideways': say up or down",
        "port b | name up or down",
        "send 'a1' | \"'\" is not understood",
        "send a1 = text=x | \"=\" is not understood",
        "send a1 text='two words | 'words' is not understood"
      })
  void whatIsNotUnderstoodIsSaid(String line, String why) {
    VerbsException refused = assertThrows(VerbsException.class, () -> ActionText.read(line));
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }
}
