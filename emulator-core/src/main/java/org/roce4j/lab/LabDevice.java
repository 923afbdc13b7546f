package org.roce4j.lab;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.Failure;
import org.roce4j.lab.Happening.Kind;
import org.roce4j.options.Quantity;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.text.Wording;

/**
 * A device of a lab with the objects of a small program: one protection domain, one completion
 * queue, one memory region, and queue pairs. Addresses of the memory begin at 0, so that they are
 * equal in every run.
 */
final class LabDevice implements EngineTrace {
  private static final int COMPLETIONS = 1024;
  private static final int REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  private final String name;
  private final Gid gid;
  private final HappeningLog log;
  private final EmulatedDevice device;
  private final Context context;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final WorkCompletions completions;
  private final MemorySegment memory;
  private final Map<Integer, LabEnd> ends = new LinkedHashMap<>();
  private MemoryRegion region;

  LabDevice(String name, Gid gid, FabricDevices network, Arena arena, HappeningLog log) {
    this.name = name;
    this.gid = gid;
    this.log = log;
    device =
        network.device(
            network
                .options(name, gid)
                .withActiveMtu(Mtu.MTU_1024)
                .withLimit(
                    Limit.MAX_PROBING_QP,
                    0) // losses are detected as the specification's table says
                .withLimit(Limit.MAX_HELD_REQUESTS, 0)
                .withTrace(this));
    context = device.open();
    pd = context.allocPd();
    cq = context.createCq(COMPLETIONS);
    completions = new WorkCompletions(arena, 1);
    memory = arena.allocate(Action.MEMORY_BYTES, 8);
    region = register(REMOTE);
  }

  String name() {
    return name;
  }

  Gid gid() {
    return gid;
  }

  Context context() {
    return context;
  }

  ProtectionDomain pd() {
    return pd;
  }

  CompletionQueue cq() {
    return cq;
  }

  MemoryRegion region() {
    return region;
  }

  EmulatedDevice device() {
    return device;
  }

  List<LabEnd> ends() {
    return List.copyOf(ends.values());
  }

  /** A queue pair of this device; the first is {@code a1} on device {@code a}. */
  LabEnd create(QpType service) {
    LabEnd end = LabEnd.create(this, name + (ends.size() + 1), service, log);
    ends.put(end.number(), end);
    return end;
  }

  /** Registers the memory again, with these rights of peers. */
  void registerAnew(int rights) {
    region.close();
    region = register(rights);
  }

  private MemoryRegion register(int rights) {
    return pd.registerMemory(memory, AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED | rights);
  }

  /** Writes a text into the memory. */
  void put(int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (at + bytes.length > Action.MEMORY_BYTES) {
      throw Quantity.refuse(
          "text of %d bytes at %d: the memory has %d", bytes.length, at, Action.MEMORY_BYTES);
    }
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
  }

  /** The memory up to its last byte that is not 0, in hexadecimal. */
  String memory() {
    int end = Action.MEMORY_BYTES;
    while (end > 0 && memory.get(ValueLayout.JAVA_BYTE, end - 1L) == 0) {
      end--;
    }
    return HexFormat.of().formatHex(memory.asSlice(0, end).toArray(ValueLayout.JAVA_BYTE));
  }

  /** Polls completions and events, as a program does. */
  void poll() {
    while (cq.pollOrThrow(completions) == 1) {
      completed();
    }
    List<AsyncEvent> events = new ArrayList<>();
    for (AsyncEvent event = context.pollAsyncEvent();
        event != null;
        event = context.pollAsyncEvent()) {
      events.add(event);
    }
    for (AsyncEvent event : events) {
      String who = event.qp() == null ? name : name(event.qp().qpNum());
      log.add(Kind.EVENT, who, "event " + event.type());
      event.ack();
    }
  }

  private void completed() {
    LabEnd end = ends.get(completions.qpNum(0));
    String request = end.took(completions.wrId(0));
    WcStatus status = completions.status(0);
    String what =
        status == WcStatus.SUCCESS
            ? Wording.of("%s completes, %d bytes", request, completions.byteLength(0))
            : Wording.of("%s fails: %s", request, cq.whyFailed(completions, 0));
    log.add(Kind.COMPLETION, end.name(), what);
  }

  private String name(int qpNum) {
    LabEnd end = ends.get(qpNum);
    return end == null ? name : end.name();
  }

  // ---- EngineTrace

  @Override
  public void stateChanged(int qpNum, QpState from, QpState to) {
    log.add(Kind.STATE, name(qpNum), from + " to " + to);
  }

  @Override
  public void requestFailed(int qpNum, Failure failure) {
    log.add(Kind.ENGINE, name(qpNum), "gives up: " + failure.why());
  }

  @Override
  public void requestRefused(int qpNum, String why) {
    log.add(Kind.ENGINE, name(qpNum), "refuses: " + why);
  }

  @Override
  public void retransmission(int qpNum, int psn, Counter reason) {
    log.add(Kind.ENGINE, name(qpNum), Wording.of("goes back to PSN %d (%s)", psn, reason.label()));
  }

  @Override
  public void dropped(int qpNum, int psn, Counter reason) {
    String which = psn < 0 ? "" : ", PSN " + psn;
    log.add(Kind.ENGINE, name(qpNum), Wording.of("drops a packet%s (%s)", which, reason.label()));
  }
}
