package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;

/**
 * Each step that the library takes at its backend fails once, in each program: the call or the
 * event says so, a call that is refused leaves what there was, and when the program has closed its
 * ids nothing is left.
 */
class EveryStepTest {
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 7471);
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

  /** What a program does. */
  enum Program {
    CONNECTION {
      @Override
      void run(Run run) {
        run.listening(PortSpace.TCP);
        CmId active = run.resolved(PortSpace.TCP);
        run.does(() -> active.createSrq(null, new SrqInitAttr(4, 1)));
        run.does(() -> active.createQp(null, new QpInitAttr()));
        run.does(() -> active.connect(new ConnParam()));
        CmId passive = run.takes(CmEvent.ConnectRequest.class).id();
        run.does(() -> passive.createQp(null, new QpInitAttr()));
        run.accepts(passive);
        run.takes(CmEvent.Established.class);
        run.takes(CmEvent.Established.class);
        run.does(active::disconnect);
        run.takes(CmEvent.Disconnected.class);
        run.takes(CmEvent.Disconnected.class);
      }
    },
    EXTENDED_CONNECTION {
      @Override
      void run(Run run) {
        CmId target = run.resolved(QpType.XRC_RECV);
        run.does(
            () -> target.createSrq(new SrqInitAttrEx().srqType(SrqType.XRC).maxWr(4).maxSge(1)));
        run.does(() -> target.createQp(null, new QpInitAttr().qpType(QpType.XRC_RECV)));
        CmId source = run.resolved(QpType.XRC_SEND);
        run.does(() -> source.createQp(null, new QpInitAttr().qpType(QpType.XRC_SEND)));
      }
    },
    GROUP_OF_DATAGRAMS {
      @Override
      void run(Run run) {
        CmId id = run.resolved(PortSpace.UDP);
        run.does(() -> id.createQp(null, new QpInitAttr().qpType(QpType.UD)));
        run.does(() -> id.joinMulticast(GROUP, "mine"));
        run.takes(CmEvent.MulticastJoin.class);
        run.does(() -> id.leaveMulticast(GROUP));
        assertEquals(
            Errno.EADDRNOTAVAIL,
            assertThrows(VerbsException.class, () -> id.leaveMulticast(GROUP)).errno());
      }
    },
    ENDPOINT {
      @Override
      void run(Run run) {
        AddrInfo there = AddrInfo.resolve("127.0.0.1", "7471", null);
        run.makes(() -> run.cm.createEp(there, null, new QpInitAttr()));
        AddrInfo here =
            AddrInfo.resolve("127.0.0.1", "7471", new AddrInfo().flags(AddrInfo.PASSIVE));
        CmId listener = run.makes(() -> run.cm.createEp(here, null, new QpInitAttr()));
        run.does(() -> listener.listen(0));
        CmId active = run.resolved(PortSpace.TCP);
        run.does(() -> active.connect(new ConnParam()));
        run.makes(listener::getRequest);
      }
    },
    OTHER_CHANNEL {
      @Override
      void run(Run run) {
        CmId id = run.resolved(PortSpace.TCP);
        run.does(() -> id.migrate(null));
        run.does(() -> id.migrate(run.channel));
      }
    };

    abstract void run(Run run);
  }

  /** Ends a program at the step that is refused. */
  private static final class Over extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** One run of a program. */
  static final class Run {
    private final LoopbackProvider provider = new LoopbackProvider();
    final RdmaCm cm = RdmaCm.open(provider.context);
    final EventChannel channel = cm.createEventChannel();
    private final List<CmId> ids = new ArrayList<>();
    private String told;

    private final boolean again;

    Run(int failIn) {
      this(failIn, false);
    }

    /**
     * @param again whether a call that was refused is made again, and the program goes on
     */
    Run(int failIn, boolean again) {
      this.again = again;
      cm.defaultPd(provider.context);
      cm.defaultXrcd(provider.context);
      provider.verbs.failIn = failIn;
      provider.patienceNs = 0;
    }

    void listening(PortSpace ps) {
      CmId id = makes(() -> channel.createId(ps));
      does(() -> id.bindAddr(THERE));
      does(() -> id.listen(0));
    }

    CmId resolved(PortSpace ps) {
      return resolved(ps.qpType(), ps);
    }

    CmId resolved(QpType type) {
      return resolved(type, PortSpace.TCP);
    }

    private CmId resolved(QpType type, PortSpace ps) {
      CmId id = makes(() -> channel.createId(ps, type, null));
      does(() -> id.resolveAddr(null, THERE, 2000));
      takes(CmEvent.AddrResolved.class);
      does(() -> id.resolveRoute(2000));
      takes(CmEvent.RouteResolved.class);
      return id;
    }

    CmId makes(java.util.function.Supplier<CmId> call) {
      CmId[] made = new CmId[1];
      does(() -> made[0] = call.get());
      ids.add(made[0]);
      return made[0];
    }

    /** A call that is refused leaves what there was. */
    void does(Runnable call) {
      List<String> before = List.copyOf(provider.verbs.open);
      int channels = provider.openChannels;
      int idsBefore = provider.openIds;
      boolean over = provider.verbs.failed != null;
      try {
        call.run();
      } catch (VerbsException e) {
        if (e.errno() != Errno.ETIMEDOUT) { // nobody waits for a request that was rejected
          assertEquals(Errno.ENOMEM, e.errno(), e.toString());
        }
        assertEquals(before, provider.verbs.open);
        assertEquals(channels, provider.openChannels, "channels");
        assertTrue(provider.openIds <= idsBefore, "ids: a request that was refused is gone");
        told = e.toString();
        if (!again) {
          throw new Over();
        }
        again(call, e);
        return;
      }
      assertEquals(over, provider.verbs.failed != null, "refused, and nobody was told");
    }

    private static void again(Runnable call, VerbsException refusal) {
      try {
        call.run();
      } catch (VerbsException e) {
        if (e.errno() != Errno.ETIMEDOUT) {
          e.addSuppressed(refusal);
          throw e;
        }
        throw new Over(); // a request that the first call rejected is gone
      }
    }

    /** The queue pair of a connection that was refused sends and takes nothing. */
    void accepts(CmId passive) {
      String before = provider.verbs.failed;
      try {
        does(() -> passive.accept(new ConnParam()));
      } catch (Over e) {
        if (before == null && provider.verbs.failed.equals("accept")) {
          assertTrue(lastState().contains("ERR"), lastState());
        }
        throw e;
      }
    }

    private String lastState() {
      return provider.verbs.calls.stream()
          .filter(call -> call.contains("qpState"))
          .reduce((_, last) -> last)
          .orElse("");
    }

    <E extends CmEvent> E takes(Class<E> type) {
      CmEvent event = channel.getCmEvent(0);
      if (event == null && provider.verbs.failed != null) {
        told = "a request that could not be told was rejected";
        throw new Over();
      }
      assertNotNull(event, "no " + type.getSimpleName());
      event.ack();
      if (event.id() != null && !ids.contains(event.id())) {
        ids.add(event.id());
      }
      if (!type.isInstance(event)) {
        assertNotNull(provider.verbs.failed, event::toString);
        assertEquals(Errno.ENOMEM, event.errno().orElseThrow());
        told = event.toString();
        if (event instanceof CmEvent.ConnectError) {
          aConnectErrorIsAllAndThePeerIsRejected();
        }
        throw new Over();
      }
      return type.cast(event);
    }

    private void aConnectErrorIsAllAndThePeerIsRejected() {
      assertTrue(lastState().contains("ERR"), lastState());
      try (CmEvent rejected = channel.getCmEvent(0)) {
        assertTrue(rejected instanceof CmEvent.Rejected, () -> "the peer: " + rejected);
      }
      assertEquals(null, channel.getCmEvent(0));
    }

    void closes() {
      provider.verbs.failIn = 0;
      ids.reversed().forEach(CmId::close);
      assertEquals(0, provider.openIds, "ids");
      channel.close();
      assertEquals(0, provider.openChannels, "channels");
      assertEquals(2, provider.verbs.open.size(), () -> "left: " + provider.verbs.open);
      cm.close();
      assertEquals(List.of(), provider.verbs.open);
    }
  }

  @ParameterizedTest
  @EnumSource
  void failsOnceAndNothingIsLeft(Program program) {
    int step = 1;
    while (fails(program, new Run(step), step)) {
      step++;
    }
    assertTrue(step > 5, "steps: " + step);
  }

  /** A call that was refused has changed nothing: made again, it leads to the same end. */
  @ParameterizedTest
  @EnumSource
  void aCallThatWasRefusedIsMadeAgain(Program program) {
    int step = 1;
    while (fails(program, new Run(step, true), step)) {
      step++;
    }
  }

  /** Whether there was a step of that number. */
  private static boolean fails(Program program, Run run, int step) {
    try {
      program.run(run);
    } catch (Over e) {
      assertNotNull(run.told);
    } catch (AssertionError | VerbsException e) {
      throw new AssertionError(program + ", step " + step + ": " + run.provider.verbs.failed, e);
    }
    String failed = run.provider.verbs.failed;
    try {
      run.closes();
    } catch (AssertionError | VerbsException e) {
      throw new AssertionError(program + ", after step " + step + ": " + failed, e);
    }
    return failed != null;
  }
}
