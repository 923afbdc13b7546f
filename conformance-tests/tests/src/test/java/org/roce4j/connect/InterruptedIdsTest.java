package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.connect.InterruptedCall.Moment;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** The calls of the connection manager that wait, interrupted before and while they wait. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptedIdsTest {
  private static final int PORT = 7471;
  private static final int PATIENCE_MS = 2000;

  @Nested
  @EmulatedRdma
  class OnTheFabric extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends OnAnyPort {}

  abstract static class OnAnyPort {
    @Test
    void aCallThatWaitsForAnEventOrACompletion(Context a, Context b) {
      try (RdmaCm here = RdmaCm.open(a);
          RdmaCm there = RdmaCm.open(b);
          WorkCompletions one = new WorkCompletions(1)) {
        CmId listening = there.createId(PortSpace.TCP);
        listening.bindAddr(new InetSocketAddress(b.queryGid(1, 0).toInetAddress(), PORT));
        listening.listen(1);
        CmId id = here.createId(PortSpace.TCP);
        id.bindAddr(new InetSocketAddress(a.queryGid(1, 0).toInetAddress(), PORT));
        id.createQp(null, new QpInitAttr().cap(new QpCapabilities(4, 4, 1, 1, 0)));
        EventChannel channel = here.createEventChannel();
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("getCmEvent", channel::getCmEvent);
        calls.put("getCmEvent of a time", () -> channel.getCmEvent(Long.MAX_VALUE));
        calls.put("getSendComp", () -> RdmaVerbs.getSendComp(id, one));
        calls.put("getRecvComp", () -> RdmaVerbs.getRecvComp(id, one));
        calls.put("getRequest", listening::getRequest);
        calls.put("connect", () -> connect(here, b));
        assertEquals(Map.of(), wrong(calls));
      }
    }

    /** The peer listens and does not answer. */
    private static void connect(RdmaCm cm, Context peer) {
      try (CmId id = cm.createId(PortSpace.TCP)) {
        var at = new InetSocketAddress(peer.queryGid(1, 0).toInetAddress(), PORT);
        id.resolveAddr(null, at, PATIENCE_MS);
        id.resolveRoute(PATIENCE_MS);
        id.createQp(null, new QpInitAttr().cap(new QpCapabilities(4, 4, 1, 1, 0)));
        id.connect(new ConnParam());
      }
    }

    private static Map<String, String> wrong(Map<String, Runnable> calls) {
      Map<String, String> wrong = new TreeMap<>();
      calls.forEach(
          (name, call) -> {
            for (boolean virtual : new boolean[] {false, true}) {
              for (Moment moment : Moment.values()) {
                new InterruptedCall(name, virtual, moment, () -> done(call)).tell(wrong);
              }
            }
          });
      return wrong;
    }

    private static String done(Runnable call) {
      call.run();
      return "done";
    }
  }
}
