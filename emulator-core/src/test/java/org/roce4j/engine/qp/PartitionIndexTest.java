package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The index of a partition in a table of P_Keys, whose top bit marks full membership. */
class PartitionIndexTest {
  private static DeviceFacts withTable(int... pkeys) {
    InvocationHandler facts =
        (self, method, args) ->
            switch (method.getName()) {
              case "pkeyTableLength" -> pkeys.length;
              case "pkey" -> pkeys[(int) args[0]];
              default -> InvocationHandler.invokeDefault(self, method, args);
            };
    return (DeviceFacts)
        Proxy.newProxyInstance(
            DeviceFacts.class.getClassLoader(), new Class<?>[] {DeviceFacts.class}, facts);
  }

  @ParameterizedTest
  @CsvSource({
    "0xffff, 0xffff, 0x8001, 0x8002, 0",
    "0x8002, 0xffff, 0x8001, 0x8002, 2",
    "0x0002, 0xffff, 0x8001, 0x8002, 2",
    "0x8002, 0xffff, 0x0002, 0x8002, 2",
    "0x8002, 0xffff, 0x8002, 0x0002, 1",
    "0x8002, 0xffff, 0x0002, 0x0002, 1",
    "0x8002, 0x8002, 0x8002, 0xffff, 0",
    "0x8003, 0xffff, 0x8001, 0x8002, -1",
  })
  void isTheFirstFullMemberOrElseTheFirst(int pkey, int first, int second, int third, int index) {
    assertEquals(index, withTable(first, second, third).partitionIndex(pkey));
  }
}
