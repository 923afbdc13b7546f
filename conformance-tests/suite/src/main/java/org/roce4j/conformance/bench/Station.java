package org.roce4j.conformance.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** One end of a bench: a context and the objects that most rows need, created when first used. */
public final class Station {
  /** Bytes of {@link #region}. */
  public static final int BYTES = 1 << 16;

  /** Every right that a region can have here. */
  public static final int ALL_RIGHTS =
      AccessFlags.LOCAL_WRITE | Bench.ALL_REMOTE | AccessFlags.MW_BIND;

  private static final int CQE = 256;
  private static final int QUEUE = 16;
  private static final int SGE = 4;
  private static final int INLINE = 64;
  private static final int MOST_LOOKS = 1000;

  private final Context context;
  private final Gid address;
  private final int gidIndex;
  private final Arena arena;
  private final WorkCompletions completions;
  private final Map<String, Long> countersBefore;
  private ProtectionDomain pd;
  private CompletionQueue cq;
  private MemoryRegion region;

  Station(Context context, Gid address, int gidIndex, Arena arena) {
    this.context = context;
    this.address = address;
    this.gidIndex = gidIndex;
    this.arena = arena;
    completions = new WorkCompletions(arena, 1);
    countersBefore = steadyCounters();
  }

  /** The opened device. */
  public Context context() {
    return context;
  }

  /** The address at which the other station reaches it. */
  public Gid address() {
    return address;
  }

  int gidIndex() {
    return gidIndex;
  }

  /** The counters at one moment; packets of the row before may still arrive. */
  private Map<String, Long> steadyCounters() {
    Map<String, Long> before = context.counters();
    Map<String, Long> now = context.counters();
    for (int i = 0; i < MOST_LOOKS && !now.equals(before); i++) {
      before = now;
      now = context.counters();
    }
    return now;
  }

  /** By how much a counter of the device has grown since the bench was set up. */
  public long counted(String counter) {
    Long growth = counted().get(counter);
    if (growth == null) {
      throw new RowSkipped("the device has no counter " + counter);
    }
    return growth;
  }

  /** By how much each counter of the device has grown since the bench was set up. */
  public Map<String, Long> counted() {
    Map<String, Long> growth = new LinkedHashMap<>(context.counters());
    growth.replaceAll((name, value) -> value - countersBefore.getOrDefault(name, 0L));
    return growth;
  }

  /**
   * Skips the rest of the row where the device does not claim a capability.
   *
   * @param capability of {@link DeviceCapFlags}
   */
  public void need(long capability) {
    if ((context.queryDevice().deviceCapFlags() & capability) == 0) {
      throw new RowSkipped("the device does not claim " + DeviceCapFlags.toString(capability));
    }
  }

  /** The protection domain of everything made here. */
  public ProtectionDomain pd() {
    if (pd == null) {
      pd = context.allocPd();
    }
    return pd;
  }

  /** The completion queue of every queue pair made here. */
  public CompletionQueue cq() {
    if (cq == null) {
      cq = context.createCq(CQE);
    }
    return cq;
  }

  /** Memory with every right. */
  public MemoryRegion region() {
    if (region == null) {
      region = pd().registerMemory(memory(BYTES), ALL_RIGHTS);
    }
    return region;
  }

  /** Zeroed memory that lives as long as the bench. */
  public MemorySegment memory(long bytes) {
    return arena.allocate(bytes, 4096);
  }

  /** Memory of its own with these rights. */
  public MemoryRegion region(int accessFlags) {
    return pd().registerMemory(memory(BYTES), accessFlags);
  }

  /** How queue pairs are made here; a row may change it. */
  public QpInitAttr qpInit(QpType type) {
    return new QpInitAttr()
        .qpType(type)
        .cq(cq())
        .cap(new QpCapabilities(QUEUE, QUEUE, SGE, SGE, INLINE));
  }

  /** A new queue pair in RESET. */
  public QueuePair qp(QpType type) {
    return pd().createQp(qpInit(type));
  }

  /** The path from here to another station. */
  public AhAttr pathTo(Station other) {
    return AhAttr.roce(other.address, gidIndex);
  }

  /** An address handle for the path to another station. */
  public AddressHandle ahTo(Station other) {
    return pd().createAh(pathTo(other));
  }

  /** A signaled request that the caller completes. */
  public SendRequestList send(long wrId, WrOpcode opcode) {
    return new SendRequestList(arena, 1, SGE + 1, 2 * INLINE)
        .add()
        .wrId(wrId)
        .opcode(opcode)
        .flags(SendFlags.SIGNALED);
  }

  /** A receive request that the caller completes. */
  public RecvRequestList receive(long wrId) {
    return new RecvRequestList(arena, 1, SGE + 1).add().wrId(wrId);
  }

  /** Posts receives into the region's second half. */
  public void postReceives(QueuePair qp, int count, int bytes) {
    for (int i = 0; i < count; i++) {
      Expect.posts(qp, receive(100L + i).sge(region(), BYTES / 2, bytes));
    }
  }

  /** The next completion of a queue, or null. */
  public BenchCompletion poll(CompletionQueue queue) {
    int count = queue.poll(completions, 1);
    if (count < 0) {
      // Not counted as a check of the row: how often a waiting row polls says nothing about it.
      throw new AssertionError("poll_cq gives " + count);
    }
    return count == 0 ? null : BenchCompletion.of(completions, 0);
  }

  /** The next completion of the completion queue, or null. */
  public BenchCompletion poll() {
    return poll(cq());
  }
}
