package org.roce4j.engine.device;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.HandleTable;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.PKey;

/**
 * What the queue pairs of a device share: addresses, keys, limits, numbers. Its engine does the
 * work. Objects are counted against the limits under the engine's ownership.
 */
public final class Device {
  private final RdmaDevice identity;
  private final DeviceLimits limits;
  private final GidTable gidTable;
  private final Mtu activeMtu;
  private final RandomGenerator random;
  private final KeyTable keys;
  private final HandleTable handles = new HandleTable();
  private final Set<EmulatedContext> contexts = new LinkedHashSet<>();
  private final Engine engine;
  private Progress progress;
  private PortControl port;
  private int completionQueues;
  private int domains;
  private int addressHandles;
  private int sharedReceiveQueues;

  /**
   * @param random source of keys and numbers; seeded, it makes runs repeatable
   */
  public Device(
      RdmaDevice identity,
      DeviceLimits limits,
      GidTable gidTable,
      Mtu activeMtu,
      RandomGenerator random,
      EngineTrace trace) {
    this.identity = identity;
    this.limits = limits;
    this.gidTable = gidTable;
    this.activeMtu = activeMtu;
    this.random = random;
    keys = new KeyTable(random, limits.maxMr(), limits.maxMw());
    engine = new Engine(this, trace);
  }

  /** Connects the device with the port beneath and with what makes it run; before any verb. */
  public void attach(PortControl control, Progress drive) {
    port = control;
    progress = drive;
  }

  public RdmaDevice identity() {
    return identity;
  }

  public Engine engine() {
    return engine;
  }

  /** A context on this device ({@code ibv_open_device}). */
  public EmulatedContext openContext(Runnable onClose) {
    EmulatedContext context = new EmulatedContext(this, onClose);
    progress.exclusively(
        () -> {
          engine.requireSound();
          contexts.add(context);
        });
    return context;
  }

  /** The engine has failed; its owner. */
  void failed() {
    contexts.forEach(context -> context.raisePortEvent(EventType.DEVICE_FATAL));
  }

  /** A context was closed; the engine's owner. */
  void forget(EmulatedContext context) {
    contexts.remove(context);
  }

  /** The port went up or down: every context is told. */
  public void portChanged(boolean up) {
    progress.exclusively(
        () -> {
          if (!up) {
            engine.counters().increment(Counter.LINK_DOWNED);
          }
          contexts.forEach(
              context -> context.raisePortEvent(up ? EventType.PORT_ACTIVE : EventType.PORT_ERR));
        });
  }

  DeviceLimits limits() {
    return limits;
  }

  GidTable gidTable() {
    return gidTable;
  }

  Mtu activeMtu() {
    return activeMtu;
  }

  RandomGenerator random() {
    return random;
  }

  KeyTable keys() {
    return keys;
  }

  HandleTable handles() {
    return handles;
  }

  Progress progress() {
    return progress;
  }

  PortControl port() {
    return port;
  }

  int pkey(int index) {
    return index == 0 ? PKey.DEFAULT : 0;
  }

  /** Engine's counters and those of the port; what both count is added up. */
  Map<String, Long> counters() {
    Map<String, Long> all = new LinkedHashMap<>(engine.counters().snapshot());
    port.counters().forEach((label, value) -> all.merge(label, value, Long::sum));
    return all;
  }

  // ---- limits, under the engine's ownership

  void countCompletionQueue(int change) {
    completionQueues = counted("completion queues", completionQueues, change, limits.maxCq());
  }

  void countDomain(int change) {
    domains = counted("protection domains", domains, change, limits.maxPd());
  }

  void countAddressHandle(int change) {
    addressHandles = counted("address handles", addressHandles, change, limits.maxAh());
  }

  void countSharedReceiveQueue(int change) {
    sharedReceiveQueues =
        counted("shared receive queues", sharedReceiveQueues, change, limits.maxSrq());
  }

  private static int counted(String what, int now, int change, int limit) {
    if (now + change > limit) {
      throw new VerbsException(
          Errno.ENOMEM,
          "the device's limit of %d %s is reached; close some".formatted(limit, what));
    }
    return now + change;
  }

  /** A completion queue lost a completion: it and the queue pairs that use it have failed. */
  void completionQueueOverflowed(EmulatedCompletionQueue cq) {
    cq.raise(EventType.CQ_ERR);
    for (QpMachine qp : engine.queuePairs().slots().clone()) {
      if (qp != null) {
        EmulatedQueuePair handle = (EmulatedQueuePair) qp.handle();
        boolean uses = handle.sendCq() == cq || handle.recvCq() == cq;
        if (uses && qp.state() != QpState.RESET) {
          qp.enterError(EventType.QP_FATAL);
        }
      }
    }
  }
}
