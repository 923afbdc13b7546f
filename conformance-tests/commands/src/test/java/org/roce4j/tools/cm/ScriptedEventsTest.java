package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.cm.CmEventType.ADDR_ERROR;
import static org.roce4j.verbs.cm.CmEventType.ADDR_RESOLVED;
import static org.roce4j.verbs.cm.CmEventType.DEVICE_REMOVAL;
import static org.roce4j.verbs.cm.CmEventType.ROUTE_ERROR;
import static org.roce4j.verbs.cm.CmEventType.ROUTE_RESOLVED;
import static org.roce4j.verbs.cm.CmEventType.TIMEWAIT_EXIT;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import picocli.CommandLine;

/** Programs and the events that they get, in every order that a script has. */
class ScriptedEventsTest {
  private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.2", 7471);

  private static CmId resolving(EventChannel channel) {
    CmId id = channel.createId(PortSpace.TCP);
    id.resolveAddr(null, PEER, 2000);
    return id;
  }

  @Test
  void theEndsOfEarlierTimeWaitsArePassedOverAndAcknowledged() {
    ScriptedManager manager =
        new ScriptedManager(
            Map.of("resolveAddr", List.of(List.of(TIMEWAIT_EXIT, TIMEWAIT_EXIT, ADDR_RESOLVED))));
    EventChannel channel = manager.open().createEventChannel();
    CmId id = resolving(channel);
    CmEvent event = ConnectionEvents.next(channel, 0);
    assertInstanceOf(CmEvent.AddrResolved.class, event);
    event.ack();
    assertNull(ConnectionEvents.next(channel, 0));
    id.close(); // EDEADLK for an event of this thread that is not acknowledged
  }

  @Test
  void anEventThatWasNotExpectedEndsTheCommandAndIsAcknowledged() {
    ScriptedManager manager =
        new ScriptedManager(Map.of("resolveAddr", List.of(List.of(ADDR_ERROR, ADDR_RESOLVED))));
    EventChannel channel = manager.open().createEventChannel();
    CmId id = resolving(channel);
    CmEvent error = channel.getCmEvent(0);
    ToolFailure failure =
        assertThrows(
            ToolFailure.class, () -> ConnectionEvents.demand(error, CmEvent.AddrResolved.class));
    assertTrue(
        failure.getMessage().startsWith("cma event RDMA_CM_EVENT_ADDR_ERROR, error -113: "),
        failure::getMessage);
    CmEvent resolved = channel.getCmEvent(0);
    assertEquals(resolved, ConnectionEvents.demand(resolved, CmEvent.AddrResolved.class));
    resolved.ack();
    id.close(); // EDEADLK for an event of this thread that is not acknowledged
  }

  /** The first try is none of the retries. */
  @ParameterizedTest
  @CsvSource({"0, 0", "1, 0", "1, 1", "3, 2", "2, 2", "3, 3", "0, 1", "2, 3", "3, 4"})
  void cmtimeTriesAddressAndRouteAgainAsOftenAsItIsTold(int retries, int errors) {
    String outcome =
        Math.min(retries, errors)
            + 1
            + " tries, "
            + (errors > retries ? "the last failed" : "the last succeeded");
    assertEquals(outcome, played(retries, "resolveAddr", tries(errors, ADDR_ERROR, ADDR_RESOLVED)));
    assertEquals(
        outcome, played(retries, "resolveRoute", tries(errors, ROUTE_ERROR, ROUTE_RESOLVED)));
  }

  private static List<List<CmEventType>> tries(int errors, CmEventType fails, CmEventType works) {
    List<List<CmEventType>> tries = new ArrayList<>(Collections.nCopies(errors, List.of(fails)));
    tries.add(List.of(works));
    return tries;
  }

  private static String played(int retries, String call, List<List<CmEventType>> events) {
    ScriptedManager manager =
        new ScriptedManager(
            Map.of(
                "resolveAddr",
                call.equals("resolveAddr") ? events : List.of(List.of(ADDR_RESOLVED)),
                "resolveRoute",
                call.equals("resolveRoute") ? events : List.of(List.of(DEVICE_REMOVAL))));
    CommandLine printer =
        new CommandLine(new MessageOptions()).setOut(new PrintWriter(new StringWriter()));
    CmtimeRun client = new CmtimeRun(1, 2000, retries, 1, 0, 1, new Speech("cmtime", printer));
    try (RdmaCm cm = manager.open()) {
      Throwable end = assertThrows(Exception.class, () -> client.measure(cm, null, PEER));
      long tries = manager.calls.stream().filter(call::equals).count();
      boolean failed = end.getMessage().matches("cma event RDMA_CM_EVENT_.*_ERROR, error -113: .*");
      return tries + " tries, " + (failed ? "the last failed" : "the last succeeded");
    }
  }
}
