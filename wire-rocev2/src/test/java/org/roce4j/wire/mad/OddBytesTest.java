package org.roce4j.wire.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.wire.Bytes;

/** Headers at the limits of their fields and of their memory. */
class OddBytesTest {
  private static byte[] ones(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) -1);
    return bytes;
  }

  @Test
  void noFieldOfAHeaderIsNegative() {
    MadHeader header = MadHeader.parse(ByteBuffer.wrap(ones(24)));
    assertEquals(0xff, header.baseVersion());
    assertEquals(0xff, header.managementClass());
    assertEquals(0xff, header.classVersion());
    assertEquals(0xff, header.method());
    assertEquals(0xffff, header.status());
    assertEquals(0xffff, header.classSpecific());
    assertEquals(0xffff, header.attributeId());
  }

  @Test
  void anAddressHeaderIsReadFromPrivateDataOfItsLength() {
    byte[] bytes = ones(AddressHeader.SIZE);
    bytes[0] = 0;
    bytes[1] = 0x60;
    AddressHeader six = AddressHeader.parse(Bytes.of(bytes));
    assertEquals(new AddressHeader(6, 0xffff, -1, -1, -1, -1), six);
    assertEquals(Bytes.of(bytes), six.before(Bytes.NONE));
    assertNull(AddressHeader.parse(Bytes.of(Arrays.copyOf(bytes, AddressHeader.SIZE - 1))));
  }

  @ParameterizedTest
  @EnumSource
  void privateDataIsFollowedByZeros(CmAttribute attribute) {
    int length = attribute.privateDataLength();
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, 0, length / 2, (byte) 7);
    assertEquals(Bytes.of(bytes), attribute.padded(Bytes.of(Arrays.copyOf(bytes, length / 2))));
  }
}
