package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WorkCompletions;

/** A device of the cluster: its context, its completion queues, the ends that live on it. */
final class SimulatedDevice implements EngineTrace {
  private static final int POLLED_AT_ONCE = 16;

  private final Run run;
  private final String name;
  private final Gid gid;
  private final Context context;
  private final ProtectionDomain pd;
  private final Map<Integer, Endpoint> ends = new HashMap<>();
  private final List<CompletionQueue> cqs = new ArrayList<>();
  private final List<AtomicCell> counters = new ArrayList<>();
  private final ModelledMemory memory;
  private final Zone counterZone;
  private final MemoryRegion counterRegion;
  private final WorkCompletions completions;
  private SharedReceiveQueue srq;
  private ModelledMemory srqMemory;
  private ReceivePool receives;

  SimulatedDevice(Run run, FabricDevices devices, int index, SplittableRandom random) {
    this.run = run;
    name = "device " + index;
    gid =
        run.options().on(Knob.IPV6)
            ? new Gid(0xfd00_0000_0000_0000L, index + 1)
            : Gid.ofIpv4(0x0a00_0001 + index);
    context =
        devices
            .device(
                DeviceOptions.of("sim" + index, gid)
                    .withSeed(random.nextLong() | 1)
                    .withTrace(this))
            .open();
    pd = context.allocPd();
    completions = new WorkCompletions(run.arena(), POLLED_AT_ONCE);
    memory = new ModelledMemory(run.arena(), name, 256, 1, random.split());
    counterZone = memory.zone("counters", 256);
    counterRegion =
        pd.registerMemory(
            memory.segment(counterZone),
            memory.iova(counterZone, index),
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
    if (run.options().on(Knob.SRQ)) {
      makeSrq(random.split());
    }
    for (int i = 0; i < run.options().integer(Knob.SHARED_COUNTERS); i++) {
      counters.add(new AtomicCell(counterZone.take(8, 8, random), true, random.nextLong()));
    }
  }

  private void makeSrq(SplittableRandom draw) {
    SimulationOptions options = run.options();
    int longest = options.integer(Knob.PACKETS) * options.integer(Knob.MTU);
    int target = srqDepth();
    int bytes = ReceivePool.zoneBytes(target, run.endCount() + 2, longest);
    srqMemory = new ModelledMemory(run.arena(), name, bytes, 1, draw.split());
    Zone zone = srqMemory.zone("shared receive memory", bytes);
    srq = pd.createSrq(new SrqInitAttr(target, options.integer(Knob.SGES)));
    receives =
        new ReceivePool(
            run,
            true,
            target,
            zone,
            pd.registerMemory(srqMemory.segment(zone), AccessFlags.LOCAL_WRITE),
            longest,
            draw.split(),
            srq::postRecv,
            n -> -1);
    receives.replenish();
  }

  /** Each end may hold one request of a torn message for ever. */
  private int srqDepth() {
    return run.options().integer(Knob.RQ) + run.endCount();
  }

  /** The receive queue that all ends of this device share, or null. */
  SharedReceiveQueue srq() {
    return srq;
  }

  ReceivePool receives() {
    return receives;
  }

  String name() {
    return name;
  }

  Gid gid() {
    return gid;
  }

  ProtectionDomain pd() {
    return pd;
  }

  /** Longs that every peer adds to. */
  List<AtomicCell> counters() {
    return counters;
  }

  long counterAddress(AtomicCell cell) {
    return counterRegion.iova() + cell.extent.at - counterZone.start();
  }

  int counterKey() {
    return counterRegion.rkey();
  }

  CompletionQueue sendCq(SimulationOptions options, int entries) {
    if (!options.on(Knob.SPLIT_CQS)) {
      if (cqs.isEmpty()) {
        int perEnd = options.integer(Knob.SQ) + options.integer(Knob.RQ);
        cqs.add(context.createCq(run.endCount() * perEnd + srqDepth()));
      }
      return cqs.getFirst();
    }
    return own(entries);
  }

  CompletionQueue recvCq(SimulationOptions options, int entries, CompletionQueue sendCq) {
    return options.on(Knob.SPLIT_CQS) ? own(srq == null ? entries : srqDepth()) : sendCq;
  }

  private CompletionQueue own(int entries) {
    CompletionQueue cq = context.createCq(entries);
    cqs.add(cq);
    return cq;
  }

  void add(Endpoint end) {
    ends.put(end.qp.qpNum(), end);
  }

  /** Polls every completion queue once; a poll in vain lets the next thing happen. */
  int poll() {
    int count = 0;
    for (CompletionQueue cq : cqs) {
      run.keepAgenda();
      int n = cq.poll(completions);
      require(n >= 0, Rule.COMPLETED_ONCE_IN_ORDER, "%s: a completion queue overflowed", name);
      for (int i = 0; i < n; i++) {
        Endpoint end = ends.get(completions.qpNum(i));
        require(
            end != null,
            Rule.COMPLETED_ONCE_IN_ORDER,
            "%s: a completion for a queue pair that is not there: %s",
            name,
            completions.toString(i));
        end.completed(completions, i);
      }
      count += n;
    }
    return count;
  }

  void checkEvents() {
    Set<QueuePair> last = new HashSet<>();
    for (AsyncEvent event = context.pollAsyncEvent();
        event != null;
        event = context.pollAsyncEvent()) {
      boolean ends = event.type() == EventType.QP_LAST_WQE_REACHED;
      require(
          event.type() == EventType.COMM_EST || (srq != null && ends && last.add(event.qp())),
          Rule.EVENTS_EXPECTED,
          "%s raised %s",
          name,
          event.type());
      event.ack();
    }
    require(
        srq == null || last.size() == ends.size(),
        Rule.EVENTS_EXPECTED,
        "%s: %d of %d queue pairs with a shared receive queue said that they are done with it",
        name,
        last.size(),
        ends.size());
  }

  void checkAtEnd() {
    counters.forEach(AtomicCell::checkAtEnd);
    memory.checkAll();
    if (srq != null) {
      receives.checkUntouched();
      srqMemory.checkAll();
    }
  }

  Map<String, Long> counted() {
    return context.counters();
  }

  void close() {
    context.close();
  }

  // ---- EngineTrace

  @Override
  public void stateChanged(int qpNum, QpState from, QpState to) {
    Endpoint end = ends.get(qpNum);
    if (end != null && end.view() != null && to == QpState.ERR) {
      end.view().failed(run.nowNs());
    }
  }

  @Override
  public void retransmission(int qpNum, int psn, Counter reason) {
    Endpoint end = ends.get(qpNum);
    if (end != null) {
      end.view().retransmits(run.nowNs(), reason);
    }
  }
}
