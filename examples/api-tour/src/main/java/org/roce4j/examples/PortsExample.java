package org.roce4j.examples;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * An adapter with two ports: a program that greets a peer over each of its addresses sees a port go
 * down, and uses an address that the other one gets while it runs. On a virtual network.
 */
public final class PortsExample {
  private static final Gid PEER = Gid.parse("10.0.0.9");

  private PortsExample() {}

  /** Plays on a virtual network of its own. */
  public static void main(String[] args) {
    run(System.out);
  }

  static void run(PrintStream out) {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1))) {
      EmulatedDevice adapter =
          network.device(
              DeviceOptions.of("adapter", Gid.parse("10.0.0.1")).withPort(Gid.parse("10.0.0.2")));
      try (Context context = adapter.open();
          Context peer = network.device("peer", PEER).open()) {
        greetOverEach(context, peer, out);
        adapter.port(1, false);
        tell(context, out);
        greetOverEach(context, peer, out);
        adapter.addAddress(2, Gid.parse("10.0.0.3"));
        tell(context, out);
        greetOverEach(context, peer, out);
      }
    }
  }

  /** The change of the device, by the event that it raises. */
  private static void tell(Context context, PrintStream out) {
    AsyncEvent event = context.getAsyncEvent();
    out.printf("%s of port %d%n", event.type(), event.portNum());
    event.ack();
  }

  private static void greetOverEach(Context context, Context peer, PrintStream out) {
    for (GidEntry from : context.queryGidTable()) {
      String address = from.gid().toInetAddress().getHostAddress();
      out.printf("  %s, port %d: %s%n", address, from.portNum(), greet(context, from, peer));
    }
  }

  /** Connects over a port and address, and sends a greeting. */
  private static WcStatus greet(Context context, GidEntry from, Context peer) {
    try (Arena arena = Arena.ofShared();
        End here = new End(context, arena);
        End there = new End(peer, arena)) {
      AhAttr path = AhAttr.roce(PEER, from.gidIndex()).onPort(from.portNum());
      QpAttr impatient = QpBringUp.attributes(path, there.qp.qpNum()).timeout(10).retryCnt(2);
      QpBringUp.toRts(here.qp, impatient.portNum(from.portNum()));
      QpBringUp.toRts(there.qp, QpBringUp.attributes(AhAttr.roce(from.gid(), 0), here.qp.qpNum()));
      there.qp.postRecvOrThrow(
          new RecvRequestList(arena, 1, 1).add().sge(there.region, 0, End.BYTES));
      here.qp.postSendOrThrow(
          new SendRequestList(arena, 1, 1, 0)
              .add()
              .opcode(WrOpcode.SEND)
              .flags(SendFlags.SIGNALED)
              .sge(here.region, 0, End.BYTES));
      return here.completion(arena);
    }
  }

  /** One end of a connection. */
  private static final class End implements AutoCloseable {
    static final int BYTES = 64;

    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final QueuePair qp;

    End(Context context, Arena arena) {
      pd = context.allocPd();
      region = pd.registerMemory(arena.allocate(BYTES), AccessFlags.LOCAL_WRITE);
      cq = context.createCq(1);
      qp = pd.createQp(new QpInitAttr().cq(cq));
    }

    WcStatus completion(Arena arena) {
      WorkCompletions completions = new WorkCompletions(arena, 1);
      while (cq.poll(completions) == 0) {
        Thread.onSpinWait();
      }
      return completions.status(0);
    }

    @Override
    public void close() {
      qp.close();
      cq.close();
      region.close();
      pd.close();
    }
  }
}
