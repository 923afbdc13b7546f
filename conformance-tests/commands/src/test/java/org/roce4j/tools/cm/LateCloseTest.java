package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.Faults;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import picocli.CommandLine;

/** The thread of a connection closes its objects before or after the thread of events does. */
@Timeout(60)
class LateCloseTest {
  private static final InetSocketAddress AT = new InetSocketAddress("10.0.0.2", 7174);

  private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context clients = network.device("a", Gid.parse("10.0.0.1")).open();
  private final Context servers = network.device("b", Gid.parse("10.0.0.2")).open();
  private CmId destroyed;

  @AfterEach
  void nothingIsLeft() {
    clients.close();
    servers.close();
    network.close();
  }

  @Test
  void aServerEndsWhenTheRegionsOfItsConnectionAreClosed() {
    try (RdmaCm cm = RdmaCm.open(shared(Context.class, servers))) {
      CompletableFuture<Void> serving = serving(cm, false);
      connectAndLeave();
      serving.join();
    } // EBUSY if a region were left
  }

  private static CompletableFuture<Void> serving(RdmaCm cm, boolean persistent) {
    return serving(cm, persistent, "-s", "-d");
  }

  private static CompletableFuture<Void> serving(RdmaCm cm, boolean persistent, String... line) {
    StringWriter heard = new StringWriter();
    RpingCommand command = new RpingCommand();
    new CommandLine(command)
        .setOut(new PrintWriter(heard))
        .setErr(new PrintWriter(new StringWriter()))
        .parseArgs(line);
    CompletableFuture<Void> serving =
        CompletableFuture.runAsync(
            () -> new RpingServer(cm, command).run(AT, persistent),
            Thread.ofPlatform().daemon()::start);
    while (!heard.toString().contains("rdma_listen")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    return serving;
  }

  /** Some leave before they are accepted, which fails. */
  @Test
  void aServerOfManyKeepsNothingOfClientsThatHaveGone() {
    EmulatedDevice device = (EmulatedDevice) servers.device();
    device.rememberOrigins();
    try (RdmaCm cm = RdmaCm.open(servers);
        RdmaCm asking = RdmaCm.open(clients)) {
      CompletableFuture<Void> serving = serving(cm, true);
      for (int i = 0; i < 10; i++) {
        askAndLeave(asking);
        connectAndLeave();
      }
      EventChannel idle = asking.createEventChannel();
      for (int looks = 0; ids(device) > 1 && looks < 100; looks++) {
        idle.getCmEvent(TimeUnit.SECONDS.toNanos(1)); // time passes
      }
      assertEquals(1, ids(device), "the one that listens");
      assertFalse(serving.isDone());
    }
  }

  /** The memory of a client that could not be served is there for the next one. */
  @ParameterizedTest
  @CsvSource({
    "-s -d, registerMemory, 2",
    "-s -d, registerMemory, 3",
    "-s -d -q, createCq, 2",
    "-s -d -q, createQp, 1"
  })
  void aServerOfManyKeepsNothingOfAClientThatItCouldNotServe(String line, String call, int nth) {
    EmulatedDevice device = (EmulatedDevice) servers.device();
    device.rememberOrigins();
    String plan = "refuse=ENOMEM call=" + call + " nth=" + nth;
    try (Context scarce = Faults.parse(plan).atVerbs(device, System::nanoTime).open();
        RdmaCm cm = RdmaCm.open(scarce)) {
      CompletableFuture<Void> serving = serving(cm, true, line.split(" "));
      VerbsException refused = assertThrows(VerbsException.class, this::connectAndLeave);
      assertEquals(Errno.ECONNREFUSED, refused.errno(), refused::getMessage);
      List<AutoCloseable> left =
          device.openObjects().keySet().stream()
              .filter(
                  each ->
                      each instanceof MemoryRegion
                          || each instanceof CompletionQueue
                          || each instanceof CompletionChannel)
              .toList();
      assertEquals(List.of(), left);
      connectAndLeave();
      assertFalse(serving.isDone());
    }
  }

  private static long ids(EmulatedDevice device) {
    return device.openObjects().keySet().stream()
        .filter(each -> each.toString().startsWith("id "))
        .count();
  }

  private static void askAndLeave(RdmaCm cm) {
    try (EventChannel events = cm.createEventChannel();
        CmId id = events.createId(PortSpace.TCP)) {
      id.resolveAddr(null, AT, 2000);
      events.getCmEvent().ack();
      id.resolveRoute(2000);
      events.getCmEvent().ack();
      id.connect(new ConnParam().qpNum(5));
    }
  }

  @Test
  void aQueuePairThatItsThreadHasDestroyedIsOver() {
    try (RdmaCm cm = RdmaCm.open(shared(Context.class, servers))) {
      EventChannel channel = cm.createEventChannel();
      CmId listener = channel.createId(PortSpace.TCP);
      listener.bindAddr(AT);
      listener.listen(1);
      CompletableFuture<Void> client =
          CompletableFuture.runAsync(this::connectAndLeave, Thread.ofPlatform().daemon()::start);
      CmId id;
      try (CmEvent request = channel.getCmEvent()) {
        id = request.id();
        id.createQp(null, attr());
        id.accept(new ConnParam());
      }
      destroyed = id;
      ConnectionEvents.take(channel, CmEvent.Established.class, said -> {}).ack();
      try (CmEvent event = channel.getCmEvent()) {
        assertInstanceOf(CmEvent.Disconnected.class, event);
        assertTrue(ConnectionEvents.ends(event));
      }
      client.join();
    }
  }

  private void connectAndLeave() {
    try (RdmaCm cm = RdmaCm.open(clients);
        CmId id = cm.createId(PortSpace.TCP)) {
      id.resolveAddr(null, AT, 2000);
      id.resolveRoute(2000);
      id.createQp(null, attr());
      id.connect(new ConnParam().responderResources(1).initiatorDepth(1));
      id.disconnect();
    }
  }

  private static QpInitAttr attr() {
    return new QpInitAttr().cap(new QpCapabilities(2, 2, 1, 1));
  }

  /**
   * An object that another thread uses as well. That thread closes regions slowly, or destroys the
   * queue pair before it enters ERR.
   */
  private <T> T shared(Class<T> type, Object object) {
    Class<?>[] types = {type, Wrapper.class};
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            types,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "unwrap" -> object;
                  case "equals" -> proxy == arguments[0];
                  default -> called(object, method, arguments);
                }));
  }

  private Object called(Object object, Method method, Object[] arguments) throws Throwable {
    boolean region = object instanceof MemoryRegion;
    if (region && method.getName().equals("close")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    } else if (destroyed != null && object instanceof QueuePair && toError(method, arguments)) {
      destroyed.destroyQp();
    }
    try {
      return switch (method.invoke(object, arguments)) {
        case ProtectionDomain pd -> shared(ProtectionDomain.class, pd);
        case MemoryRegion made -> shared(MemoryRegion.class, made);
        case QueuePair qp -> shared(QueuePair.class, qp);
        case null -> null;
        case Object other -> other;
      };
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static boolean toError(Method method, Object[] arguments) {
    return method.getName().equals("modify") && ((QpAttr) arguments[0]).qpState() == QpState.ERR;
  }
}
