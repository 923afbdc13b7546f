package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class RecordCodecTest {
  private record Inner(char letter, boolean flag) {}

  private record All(
      boolean z,
      byte b,
      short s,
      char c,
      int i,
      long j,
      float f,
      double d,
      String text,
      Inner in) {}

  private record Bytes(byte[] data, int after) {}

  private record Trailing(int before, byte[] data) {}

  private record Twice(Inner first, Inner second) {}

  private record Empty() {}

  private record Other(int i) {}

  private record Positive(int value) {
    Positive {
      if (value <= 0) {
        throw new IllegalArgumentException("not positive");
      }
    }
  }

  private record Listed(List<String> names) {}

  private record Node(int value, Node next) {}

  @Property(tries = 200)
  void aRecordComesBackAsItWent(
      @ForAll boolean z,
      @ForAll byte b,
      @ForAll short s,
      @ForAll int i,
      @ForAll long j,
      @ForAll float f,
      @ForAll double d) {
    All all = new All(z, b, s, 'ü', i, j, f, d, "text " + j, new Inner('x', z));
    RecordCodec<All> codec = RecordCodec.of(All.class);
    assertEquals(all, codec.decode(codec.encode(all)));
  }

  @Test
  void theBytesAreThoseThatTheDocumentationSays() {
    byte[] bytes = RecordCodec.of(Bytes.class).encode(new Bytes(new byte[] {9, 8}, 0x01020304));
    assertEquals("Bytes(byte[] data,int after)", RecordCodec.of(Bytes.class).signature());
    assertEquals("00000002" + "0908" + "01020304", HexFormat.of().formatHex(bytes).substring(8));
    assertEquals(4, RecordCodec.of(Empty.class).encode(new Empty()).length);
    assertEquals(
        "All(boolean z,byte b,short s,char c,int i,long j,float f,double d,String text,"
            + "Inner(char letter,boolean flag) in)",
        RecordCodec.of(All.class).signature());
  }

  @Test
  void bytesComeBackAsTheyWent() {
    byte[] data = {1, 2, 3};
    RecordCodec<Bytes> codec = RecordCodec.of(Bytes.class);
    assertArrayEquals(data, codec.decode(codec.encode(new Bytes(data, 5))).data());
  }

  @Property(tries = 500)
  void noBytesAreMoreThanRefused(@ForAll byte[] hostile) {
    refused(Errno.EBADMSG, "are no ", () -> RecordCodec.of(Bytes.class).decode(hostile));
  }

  @Test
  void whatIsCutOffOrGoesOnIsRefused() {
    RecordCodec<Bytes> codec = RecordCodec.of(Bytes.class);
    byte[] right = codec.encode(new Bytes(new byte[] {1}, 2));
    for (int length = 0; length <= right.length + 1; length++) {
      byte[] wrong = java.util.Arrays.copyOf(right, length);
      if (length != right.length) {
        refused(Errno.EBADMSG, "same record", () -> codec.decode(wrong));
      }
    }
    right[4] = 0x7f; // a length of 2 GiB
    refused(Errno.EBADMSG, "same record", () -> codec.decode(right));
  }

  /** Missing bytes at the end are an error, and no shorter value. */
  @Test
  void bytesAtTheEndAreAllThere() {
    RecordCodec<Trailing> codec = RecordCodec.of(Trailing.class);
    byte[] right = codec.encode(new Trailing(1, new byte[] {7, 8, 9}));
    assertArrayEquals(new byte[] {7, 8, 9}, codec.decode(right).data());
    for (int length = 0; length < right.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(right, length);
      refused(Errno.EBADMSG, "same record", () -> codec.decode(cut));
    }
  }

  @Test
  void aRecordMayStandTwiceInAnother() {
    Twice twice = new Twice(new Inner('a', true), new Inner('b', false));
    RecordCodec<Twice> codec = RecordCodec.of(Twice.class);
    assertEquals(twice, codec.decode(codec.encode(twice)));
  }

  @Test
  void anotherRecordIsRefused() {
    byte[] other = RecordCodec.of(Other.class).encode(new Other(1));
    refused(
        Errno.EBADMSG, "Positive(int value)", () -> RecordCodec.of(Positive.class).decode(other));
  }

  @Test
  void aValueThatTheConstructorRefusesIsRefused() {
    RecordCodec<Positive> codec = RecordCodec.of(Positive.class);
    byte[] bytes = codec.encode(new Positive(1));
    bytes[7] = 0;
    refused(Errno.EBADMSG, "not positive", () -> codec.decode(bytes));
  }

  @Test
  void nullAndHalfACharacterAreRefused() {
    RecordCodec<Bytes> codec = RecordCodec.of(Bytes.class);
    refused(Errno.EINVAL, "component 'data' of the Bytes", () -> codec.encode(new Bytes(null, 1)));
    refused(Errno.EILSEQ, "surrogate", () -> Text.encode("\uD83D"));
    refused(Errno.EILSEQ, "no UTF-8", () -> Text.decode(new byte[] {(byte) 0xff}));
  }

  @Test
  void aRecordThatHasNoFormIsRefused() {
    refused(Errno.EINVAL, "component 'names' is of java.util.List", () -> of(Listed.class));
    refused(Errno.EINVAL, "it contains itself", () -> of(Node.class));
    refused(Errno.EINVAL, "is no record", () -> of(Record.class));
  }

  private static void of(Class<? extends Record> type) {
    RecordCodec.of(type);
  }

  private static void refused(
      Errno errno, String words, org.junit.jupiter.api.function.Executable call) {
    VerbsException refused = assertThrows(VerbsException.class, call);
    assertEquals(errno, refused.errno());
    assertTrue(refused.remedy().contains(words), refused.remedy());
  }
}
