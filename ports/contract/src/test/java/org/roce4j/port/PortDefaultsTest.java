package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** A port that implements only what it must, and what stands around it. */
class PortDefaultsTest {
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final Gid OWN = Gid.parse("10.0.0.1");

  private final List<Object> asked = new ArrayList<>();

  private <T> T plain(Class<T> type) {
    InvocationHandler handler =
        (self, method, arguments) -> {
          if (method.isDefault()) {
            try {
              return InvocationHandler.invokeDefault(self, method, arguments);
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
          }
          asked.add(method.getName());
          asked.addAll(arguments == null ? List.of() : List.of(arguments));
          if (method.getName().equals("receive")) {
            ((DatagramSink) arguments[0]).expectTrain(ByteBuffer.allocate(1), 2, 3, 4);
          }
          return method.getReturnType() == int.class ? 1 : null;
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static void notSupported(Executable call) {
    assertEquals(Errno.EOPNOTSUPP, assertThrows(VerbsException.class, call).errno());
  }

  @Test
  void theAddressesOfAPortDoNotChangeAndItCarriesOneEngine() {
    Port port = plain(Port.class);
    notSupported(() -> port.add(OWN));
    notSupported(() -> port.remove(OWN));
    PortProvider provider = plain(PortProvider.class);
    notSupported(() -> provider.openSeveral(PortOptions.of(List.of(OWN)), 2));
    assertEquals(new PortOptions(List.of(OWN), 4791, true), PortOptions.of(List.of(OWN)));
    DatagramSink sink = inbound -> {};
    assertTrue(sink.readsNetworkFields());
  }

  private static final class Around extends TappedPort {
    Around(Port port) {
      super(port);
    }

    @Override
    protected void received(Inbound inbound) {
      handOver(inbound);
    }
  }

  @Test
  void aGroupIsJoinedAndLeftBelowByTheSameAddress() {
    Port around = new Around(plain(Port.class));
    around.join(GROUP, OWN);
    around.leave(GROUP, OWN);
    assertEquals(List.of("join", GROUP, OWN, "leave", GROUP, OWN), asked);
  }

  @Test
  void aTrainIsAnnouncedWithItsSizesThroughWhatStandsAround() {
    List<Integer> announced = new ArrayList<>();
    DatagramSink sink =
        new DatagramSink() {
          @Override
          public void datagram(Inbound inbound) {}

          @Override
          public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
            announced.addAll(List.of(at, segmentSize, length));
          }
        };
    new Around(plain(Port.class)).receive(sink, 8);
    PortSwitch filtering = new PortSwitch(plain(Port.class));
    filtering.silence(Set.of(OWN));
    filtering.receive(sink, 8);
    assertEquals(List.of(2, 3, 4, 2, 3, 4), announced);
  }
}
