package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/** The address of an end is that of its port and index. */
class LocalAddressTest {
  private final List<Object> asked = new ArrayList<>();
  private Gid gid = Gid.ofIpv4(5);

  private Object answer(String verb, Object[] arguments) {
    return switch (verb) {
      case "queryGid" -> {
        asked.addAll(List.of(arguments));
        yield gid;
      }
      case "device" -> stub(RdmaDevice.class);
      case "queryGidTable" -> List.of();
      default -> "roce9";
    };
  }

  private <T> T stub(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer(method.getName(), arguments)));
  }

  @Test
  void anEntryWithoutAddressIsNoPlaceToStart() {
    Context context = stub(Context.class);
    ConnectionOptions options = ConnectionOptions.DEFAULT.withGidIndex(3).withPortNum(2);
    assertEquals(gid, MessageEnd.localGid(context, options));
    assertEquals(List.of(2, 3), asked);
    gid = Gid.ofBytes(new byte[16]);
    String told = refused(Errno.EINVAL, () -> MessageEnd.localGid(context, options)).remedy();
    assertTrue(told.startsWith("device roce9 has no address at GID index 3 of port 2;"), told);
  }
}
