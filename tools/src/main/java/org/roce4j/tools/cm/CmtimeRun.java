package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;

/** The connections of {@code cmtime}, whose steps some threads do. */
final class CmtimeRun {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Every five seconds of silence. */
  private static final int LOOKS_OF_A_QUESTION = 25;

  /** Looks after which no further connections are expected of a client whose others are over. */
  private static final int MOST_LOOKS = 5;

  /**
   * A message that is lost is repeated several times in it, so a peer that is there has answered.
   */
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(15);

  private final int connections;
  private final int timeoutMs;
  private final int retries;
  private final int threads;

  /** The time, in microseconds, that replaces a queue pair's verbs; null: there are queue pairs. */
  private final Integer delayUs;

  private final AtomicInteger nextQpn;
  private final Speech speech;
  private final List<CmId> ids = new ArrayList<>();

  /** The connections of the server, by which their clients are asked. Guarded by itself. */
  private final Map<CmId, ConnectionWait.Question> standing = new HashMap<>();

  /** Events of the server, taken by any thread. */
  private final AtomicInteger heard = new AtomicInteger();

  private final AtomicInteger requested = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile boolean failed;
  private EventChannel channel;

  CmtimeRun(
      int connections,
      int timeoutMs,
      int retries,
      int threads,
      Integer delayUs,
      int firstQpn,
      Speech speech) {
    this.connections = connections;
    this.timeoutMs = timeoutMs;
    this.retries = retries;
    this.threads = threads;
    this.delayUs = delayUs;
    this.nextQpn = new AtomicInteger(firstQpn);
    this.speech = speech;
  }

  /** Runs a task on each of the threads; fails if one does. */
  private void together(Consumer<Integer> task) {
    if (threads == 1) {
      task.accept(0);
      return;
    }
    try (ExecutorService executor =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory())) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int own = i;
        all.add(executor.submit(() -> watched(task, own)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException told
          ? told
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ToolFailure.atRunTime("interrupted", e);
    }
  }

  private void watched(Consumer<Integer> task, int own) {
    boolean done = false;
    try {
      task.accept(own);
      done = true;
    } finally {
      failed |= !done;
    }
  }

  // ---- the server

  void serve(RdmaCm cm, InetSocketAddress at) {
    channel = cm.createEventChannel();
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(at);
    listener.listen(0);
    speech.say(listening(listener.localAddr()));
    together(this::serveSome);
  }

  static String listening(InetSocketAddress at) {
    return Wording.of(
        "cmtime: listening at %s port %d", at.getAddress().getHostAddress(), at.getPort());
  }

  private void serveSome(int own) {
    int quiet = 0;
    int seen = 0;
    while (ended.get() < connections && !failed) {
      try (CmEvent event = channel.getCmEvent(LOOK_NS)) {
        if (event != null) {
          heard.incrementAndGet();
          serve(event);
        }
      }
      int all = heard.get();
      quiet = all == seen ? quiet + 1 : 0;
      seen = all;
      if (own == 0 && quiet == LOOKS_OF_A_QUESTION) {
        speech.note(
            Wording.of("waiting: %s have ended, %d were requested", served(), requested.get()));
      }
      if (quiet > MOST_LOOKS && requested.get() > 0 && requested.get() == ended.get()) {
        throw ToolFailure.atRunTime("the peer disconnected after " + served());
      }
      if (quiet > 0 && quiet % LOOKS_OF_A_QUESTION == 0) {
        ask();
      }
    }
  }

  private String served() {
    return Wording.of("%d of %d connections", ended.get(), connections);
  }

  /** A client that was killed sends nothing, but its connections show it. */
  private void ask() {
    synchronized (standing) {
      for (ConnectionWait.Question each : standing.values()) {
        each.check(this::served);
        each.ask();
      }
    }
  }

  private void stands(CmId id) {
    if (delayUs == null) {
      synchronized (standing) {
        standing.putIfAbsent(id, new ConnectionWait.Question(id.qp()));
      }
    }
  }

  /** Another thread may not have marked the connection as established yet. */
  private void standsNoMore(CmId id) {
    synchronized (standing) {
      ConnectionWait.Question asked = standing.put(id, new ConnectionWait.Question(null));
      if (asked != null) {
        asked.close();
      }
    }
  }

  private void serve(CmEvent event) {
    CmId id = event.id();
    switch (event) {
      case CmEvent.ConnectRequest _ -> {
        requested.incrementAndGet();
        createQp(id);
        ConnectionEvents.accept(id, parameters());
      }
      case CmEvent.Established _ -> stands(id);
      case CmEvent.Disconnected _ -> {
        standsNoMore(id);
        ConnectionEvents.disconnectQuietly(id);
        event.ack(); // before the id can be closed
        id.close();
        ended.incrementAndGet();
      }
      case CmEvent.Rejected _, CmEvent.Unreachable _ ->
          ConnectionEvents.demand(event, CmEvent.Disconnected.class);
      default -> {}
    }
  }

  // ---- the client

  void measure(RdmaCm cm, InetAddress own, InetSocketAddress to) {
    channel = cm.createEventChannel();
    InetSocketAddress from = own == null ? null : new InetSocketAddress(own, 0);
    Steps steps = new Steps(connections, speech::say);
    steps.time(
        "create id",
        () -> {
          for (int i = 0; i < connections; i++) {
            ids.add(channel.createId(PortSpace.TCP));
          }
        });
    steps.time(
        "resolve addr",
        () -> step(id -> id.resolveAddr(from, to, timeoutMs), CmEvent.AddrResolved.class));
    steps.time(
        "resolve route", () -> step(id -> id.resolveRoute(timeoutMs), CmEvent.RouteResolved.class));
    steps.time("create qp", () -> each(this::createQp));
    steps.time("connect", this::connect);
    steps.time("disconnect", () -> step(CmId::disconnect, CmEvent.Disconnected.class));
    steps.time("destroy", () -> each(CmId::close));
  }

  private void connect() {
    if (delayUs == null) {
      step(id -> id.connect(parameters()), CmEvent.Established.class);
    } else {
      step(id -> id.connect(parameters()), CmEvent.ConnectResponse.class);
      each(
          id -> {
            pretend(); // RTR
            pretend(); // RTS
            id.establish();
          });
    }
  }

  /**
   * The parameters of the C program, except for its retry count of 0: a probe may be lost, and
   * would then prove nothing about the peer.
   */
  private ConnParam parameters() {
    ConnParam param = new ConnParam().responderResources(1).initiatorDepth(1).rnrRetryCount(0);
    return delayUs == null ? param : param.qpNum(nextQpn.getAndIncrement());
  }

  private void createQp(CmId id) {
    if (delayUs == null) {
      id.createQp(null, new QpInitAttr());
    } else {
      pretend();
    }
  }

  private void pretend() {
    long startNs = System.nanoTime();
    long wholeNs = TimeUnit.MICROSECONDS.toNanos(delayUs);
    for (long left = wholeNs; left > 0; left = wholeNs - (System.nanoTime() - startNs)) {
      LockSupport.parkNanos(left);
    }
  }

  /** A call of every id, by all threads. */
  private void each(Consumer<CmId> call) {
    together(
        own -> {
          for (int i = own; i < ids.size(); i += threads) {
            call.accept(ids.get(i));
          }
        });
  }

  /** A call of each id, and then the event that it comes to; address and route are tried again. */
  private void step(Consumer<CmId> call, Class<? extends CmEvent> outcome) {
    each(call);
    Map<CmId, Integer> tried = new ConcurrentHashMap<>();
    for (int done = 0; done < connections; ) {
      try (CmEvent event = next(outcome, done)) {
        boolean again = event instanceof CmEvent.AddrError || event instanceof CmEvent.RouteError;
        if (again && tried.merge(event.id(), 1, Integer::sum) <= retries) {
          call.accept(event.id());
        } else {
          confirmed(ConnectionEvents.demand(event, outcome));
          done++;
        }
      }
    }
  }

  /**
   * The next event. A program that accepts may take its time. Once it has begun to, and when it is
   * to confirm an end, silence means that it was killed.
   */
  private CmEvent next(Class<? extends CmEvent> outcome, int done) {
    if (done == 0 && outcome != CmEvent.Disconnected.class) {
      return ConnectionEvents.any(channel, outcome, speech::note);
    }
    CmEvent event = ConnectionEvents.next(channel, SILENCE_NS);
    if (event == null) {
      throw ToolFailure.atRunTime(
          "the peer does not answer: %d of %d connections were %s, and none in the last %d s",
          done,
          connections,
          outcome.getSimpleName().toLowerCase(Locale.ROOT),
          TimeUnit.NANOSECONDS.toSeconds(SILENCE_NS));
    }
    return event;
  }

  private static void confirmed(CmEvent event) {
    if (event.status() != 0) {
      throw ToolFailure.atRunTime("the peer does not answer: " + event);
    }
  }
}
