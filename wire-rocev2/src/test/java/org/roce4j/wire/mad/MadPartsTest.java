package org.roce4j.wire.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.Bytes;

/** Fields and words of the messages of connection managers. */
class MadPartsTest {
  private static final int LENGTH = 12;

  static Stream<Arguments> fields() {
    return Stream.of(
        Arguments.of(BitField.bits(2, 0, 5)),
        Arguments.of(BitField.bits(2, 5, 2)),
        Arguments.of(BitField.bits(2, 7, 1)),
        Arguments.of(BitField.bits(2, 3, 20)),
        Arguments.of(BitField.bytes(2, 1)),
        Arguments.of(BitField.bytes(2, 3)),
        Arguments.of(BitField.bytes(2, 8)));
  }

  /** Whatever stands beside it, and whatever the value has besides the bits of the field. */
  @ParameterizedTest
  @MethodSource("fields")
  void aFieldIsWrittenAndReadAndNothingElse(BitField field) {
    int behind = LENGTH * Byte.SIZE - field.at() * Byte.SIZE - field.bit() - field.width();
    BigInteger all = BigInteger.ONE.shiftLeft(LENGTH * Byte.SIZE).subtract(BigInteger.ONE);
    BigInteger bits = BigInteger.ONE.shiftLeft(field.width()).subtract(BigInteger.ONE);
    for (BigInteger around : new BigInteger[] {BigInteger.ZERO, all}) {
      for (long value : new long[] {0, 1, -1, 0x123_4567_89AB_CDEFL}) {
        ByteBuffer mad = ByteBuffer.wrap(bytes(around));
        field.put(mad, value);
        BigInteger written = BigInteger.valueOf(value).and(bits);
        BigInteger expected = around.andNot(bits.shiftLeft(behind)).or(written.shiftLeft(behind));
        assertEquals(expected, new BigInteger(1, mad.array()), field + " of " + value);
        assertEquals(written.longValue(), field.get64(mad));
        assertEquals(written.intValue(), field.get(mad));
        assertEquals(written.signum() != 0, field.isSet(mad));
      }
    }
  }

  private static byte[] bytes(BigInteger number) {
    byte[] bytes = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      bytes[LENGTH - 1 - i] = number.shiftRight(i * Byte.SIZE).byteValue();
    }
    return bytes;
  }

  @Test
  void aSmallNumberHasANameOrIsTold() {
    String[] names = {"REQ", "REP", "LAP", "3", "-1"};
    for (int i = 0; i < names.length; i++) {
      Mra mra = new Mra(1, 2, i == 4 ? -1 : i, 5, Bytes.NONE);
      assertEquals("MRA id 0x00000001 to 0x00000002 of " + names[i] + " timeout 5", mra.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 1, true", "3, 0, false", "3, 2, false", "0, 1, false", "1, 1, false"})
  void aRequestIsExtendedByItsServiceAndType(int service, int extended, boolean is) {
    Req req =
        new Req(
            1,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            service,
            false,
            0,
            0,
            0,
            0,
            0,
            false,
            0,
            0,
            false,
            extended,
            CmPath.NONE,
            CmPath.NONE,
            false,
            Bytes.NONE);
    assertEquals(is, req.isExtended());
  }

  @Test
  void everyFieldOfAHeaderIsWrittenInItsPlace() {
    MadHeader header = new MadHeader(1, 2, 3, 4, 5, 6, 7, 8, 9);
    ByteBuffer mad = ByteBuffer.allocate(Mad.SIZE);
    header.emit(mad);
    assertEquals(header, MadHeader.parse(mad));
  }

  @Test
  void privateDataLiesBehindTheFieldsOfItsMessage() {
    assertEquals(
        List.of(164, 34, 108, 60, 32, 36, 32, 40, 120, 88, 108),
        Arrays.stream(CmAttribute.values()).map(CmAttribute::privateDataAt).toList());
  }

  @Test
  void aRejectionWithoutInformationHasPrivateDataAlone() {
    Bytes data = Bytes.of((byte) 7);
    assertEquals(
        new Rej(1, 2, 3, 0, RejCode.CONSUMER_DEFINED.code(), Bytes.NONE, data),
        Rej.of(1, 2, 3, RejCode.CONSUMER_DEFINED, data));
    Rej timedOut = Rej.timedOut(1, 2, 0x0102030405060708L);
    assertEquals(0x0102030405060708L, timedOut.infoGuid());
    assertEquals(new Rej(1, 2, 2, 8, 4, timedOut.info(), Bytes.NONE), timedOut);
  }

  /** Annex A11: the major and minor version are 0, the version of IP is 4 or 6. */
  @ParameterizedTest
  @CsvSource({
    "0, 0x40, true",
    "0, 0x60, true",
    "0, 0x4F, true",
    "0, 0x50, false",
    "0, 0x00, false",
    "0, 0xC0, false",
    "0, 0x04, false",
    "1, 0x40, false"
  })
  void addressesAreOfIpv4OrIpv6(String versions, String ip, boolean known) {
    byte[] data = new byte[92];
    data[0] = Integer.decode(versions).byteValue();
    data[1] = Integer.decode(ip).byteValue();
    AddressHeader header = AddressHeader.parse(Bytes.of(data));
    if (known) {
      assertEquals(data[1] >> 4 & 0xF, header.ipVersion());
    } else {
      assertNull(header);
    }
  }

  @Test
  void anAddressOfIpv4IsMapped() {
    byte[] data = new byte[92];
    Arrays.fill(data, (byte) 0x11);
    data[0] = 0;
    data[1] = 0x40;
    AddressHeader four = AddressHeader.parse(Bytes.of(data));
    assertEquals(0, four.sourceHigh());
    assertEquals(0xFFFF_1111_1111L, four.sourceLow());
    assertEquals(0, four.destinationHigh());
    assertEquals(0xFFFF_1111_1111L, four.destinationLow());
    data[1] = 0x60;
    AddressHeader six = AddressHeader.parse(Bytes.of(data));
    assertEquals(0x1111_1111_1111_1111L, six.sourceHigh());
    assertEquals(0x1111_1111_1111_1111L, six.destinationLow());
    assertTrue(four.toString().startsWith("17.17.17.17:"), four.toString());
    assertFalse(six.toString().startsWith("17."), six.toString());
  }
}
