package org.roce4j.conformance.table;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;

/** The calls of the connection manager in each state of an id, and the events that follow. */
public final class ConnectionTable {
  private static final String SOURCE = "the manual of librdmacm";
  private static final String NOTHING = "-";
  private static final int PORT = 7471;
  private static final int TIMEOUT_MS = 2000;

  private static final AtomicInteger NEXT_QPN = new AtomicInteger(0x1000);

  private ConnectionTable() {}

  /** How far a connection has come; each step leaves its events taken. */
  private enum State {
    CREATED,
    BOUND,
    RESOLVED,
    ROUTED,
    LISTENING,
    ASKED,
    REQUESTED,
    ANSWERED,
    ACCEPTED,
    CONNECTED,
    RELEASED,
    ENDED;

    /** Whether the far id of the connection is meant. */
    boolean far() {
      return this == REQUESTED || this == ACCEPTED || this == RELEASED;
    }
  }

  /** Rows of the table, of all states and calls that it names. */
  public static List<Row> rows() {
    return TextTable.read("connections.txt").stream().map(ConnectionTable::row).toList();
  }

  private static Row row(String[] cells) {
    State state = State.valueOf(cells[0]);
    String call = cells[1];
    String title =
        cells[2].equals(NOTHING) && cells[3].equals(NOTHING)
            ? Wording.of("%s in state %s succeeds", call, state)
            : Wording.of("%s in state %s: near %s, far %s", call, state, cells[2], cells[3]);
    return new Row(
        "CM-" + state + "-" + call.toUpperCase(Locale.ROOT),
        SOURCE,
        title,
        bench -> check(bench, state, call, cells[2], cells[3]));
  }

  private static void check(Bench bench, State state, String call, String near, String far) {
    bench.need(Capability.CONNECTION_MANAGER);
    try (RdmaCm calling = RdmaCm.open(bench.near().context());
        RdmaCm called = RdmaCm.open(bench.far().context())) {
      Ends ends = new Ends(bench, calling.createEventChannel(), called.createEventChannel());
      CmId subject = ends.bring(state);
      Errno errno = near.startsWith("E") && !near.startsWith("ES") ? Errno.valueOf(near) : null;
      if (errno != null) {
        Expect.refused(errno, () -> ends.call(subject, call));
        return;
      }
      ends.call(subject, call);
      ends.expect(ends.here, near);
      ends.expect(ends.there, far);
    }
  }

  /** The ids of a connection and where their events arrive. */
  private static final class Ends {
    private final EventChannel here;
    private final EventChannel there;
    private final InetSocketAddress own;
    private final InetSocketAddress server;
    private final CmId near;
    private final long patienceNs;

    Ends(Bench bench, EventChannel here, EventChannel there) {
      this.here = here;
      this.there = there;
      patienceNs = Bench.SOON_NS + bench.link().patienceNs();
      own = at(bench.link().nearAddress(), 0);
      server = at(bench.link().farAddress(), PORT);
      CmId listener = there.createId(PortSpace.TCP);
      listener.bindAddr(server);
      listener.listen(1);
      near = here.createId(PortSpace.TCP);
    }

    private static InetSocketAddress at(Gid gid, int port) {
      return new InetSocketAddress(gid.toInetAddress(), port);
    }

    /** The id that is meant, in the state. */
    CmId bring(State state) {
      switch (state) {
        case CREATED -> {}
        case BOUND -> near.bindAddr(own);
        case LISTENING -> call(near, "listen");
        default -> {
          call(near, "resolve_addr");
          expect(here, "ADDR_RESOLVED");
        }
      }
      if (state.compareTo(State.ROUTED) >= 0 && state != State.LISTENING) {
        call(near, "resolve_route");
        expect(here, "ROUTE_RESOLVED");
      }
      CmId far = state.compareTo(State.ASKED) >= 0 ? connect(state) : null;
      return state.far() ? far : near;
    }

    private CmId connect(State state) {
      call(near, "connect");
      CmId far = expect(there, "CONNECT_REQUEST");
      if (state.compareTo(State.ANSWERED) >= 0) {
        call(far, "accept");
        expect(here, "CONNECT_RESPONSE");
      }
      if (state.compareTo(State.CONNECTED) >= 0) {
        call(near, "establish");
        expect(there, "ESTABLISHED");
      }
      if (state.compareTo(State.RELEASED) >= 0) {
        call(near, "disconnect");
        expect(there, "DISCONNECTED");
      }
      if (state == State.ENDED) {
        call(far, "disconnect");
        expect(here, "DISCONNECTED");
      }
      return far;
    }

    void call(CmId id, String call) {
      switch (call) {
        case "bind" -> id.bindAddr(own);
        case "resolve_addr" -> id.resolveAddr(null, server, TIMEOUT_MS);
        case "resolve_route" -> id.resolveRoute(TIMEOUT_MS);
        case "listen" -> id.listen(1);
        case "connect" -> id.connect(parameters());
        case "accept" -> id.accept(parameters());
        case "reject" -> id.reject(new byte[0]);
        case "establish" -> id.establish();
        case "disconnect" -> id.disconnect();
        case "notify" -> id.notify(EventType.COMM_EST);
        case "close" -> id.close();
        default -> throw new IllegalArgumentException(call);
      }
    }

    /** A queue pair that was named before is one in time wait. */
    private static ConnParam parameters() {
      int qpn = NEXT_QPN.getAndIncrement();
      return new ConnParam().responderResources(1).initiatorDepth(1).qpNum(qpn);
    }

    /** Takes the next event, whose id it returns; null if there is to be none now. */
    CmId expect(EventChannel channel, String type) {
      if (type.equals(NOTHING)) {
        try (CmEvent event = channel.getCmEvent(0)) {
          Expect.that(event == null, () -> "unexpected event " + event);
        }
        return null;
      }
      try (CmEvent event = channel.getCmEvent(patienceNs)) {
        Expect.that(event != null, "no event where " + type + " was due");
        Expect.equal("the event", type, event.type().name());
        return event.id();
      }
    }
  }
}
