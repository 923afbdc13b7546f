package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every bit of the base transport header belongs to one field (wire-format 2). */
class BthTest {
  private static final int BITS = 8 * Bth.SIZE;

  private static Map<String, ToIntFunction<ByteBuffer>> fields(int at) {
    Map<String, ToIntFunction<ByteBuffer>> fields = new LinkedHashMap<>();
    fields.put("opcode 8", b -> Bth.opcode(b, at));
    fields.put("solicited 1", b -> Bth.solicited(b, at) ? 1 : 0);
    fields.put("migReq 1", b -> Bth.migReq(b, at) ? 1 : 0);
    fields.put("padCount 2", b -> Bth.padCount(b, at));
    fields.put("version 4", b -> Bth.version(b, at));
    fields.put("pkey 16", b -> Bth.pkey(b, at));
    fields.put("fecn 1", b -> Bth.fecn(b, at) ? 1 : 0);
    fields.put("becn 1", b -> Bth.becn(b, at) ? 1 : 0);
    fields.put("reserved6 6", b -> Bth.reserved6(b, at));
    fields.put("destQp 24", b -> Bth.destQp(b, at));
    fields.put("ackReq 1", b -> Bth.ackReq(b, at) ? 1 : 0);
    fields.put("reserved7 7", b -> Bth.reserved7(b, at));
    fields.put("psn 24", b -> Bth.psn(b, at));
    return fields;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5})
  void everyBitIsOfOneFieldInTheirOrder(int at) {
    Map<String, ToIntFunction<ByteBuffer>> fields = fields(at);
    int bit = 0;
    for (String field : fields.keySet()) {
      int width = Integer.parseInt(field.split(" ")[1]);
      for (int place = width - 1; place >= 0; place--, bit++) {
        ByteBuffer header = ByteBuffer.allocate(at + Bth.SIZE);
        header.put(at + bit / 8, (byte) (0x80 >>> bit % 8));
        List<String> seen =
            fields.entrySet().stream()
                .filter(each -> each.getValue().applyAsInt(header) != 0)
                .map(each -> each.getKey() + " is " + each.getValue().applyAsInt(header))
                .toList();
        assertEquals(List.of(field + " is " + (1 << place)), seen, "bit " + bit);
      }
    }
    assertEquals(BITS, bit);
  }
}
