package org.roce4j.emulator;

import java.util.List;
import org.roce4j.drive.DutyCycle;
import org.roce4j.engine.Engine;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.Node;
import org.roce4j.port.Port;

/** An engine on a port of the fabric. For whoever holds the {@link FabricLock}. */
final class FabricEngine implements Node {
  private final Fabric fabric;
  private final Engine engine;
  private final Port port;
  private final DutyCycle cycle;
  private final List<FabricEngine> all;

  /**
   * @param all engines of the device in their order, complete before the first turn
   */
  FabricEngine(Fabric fabric, Engine engine, Port port, List<FabricEngine> all) {
    this.fabric = fabric;
    this.engine = engine;
    this.port = port;
    this.all = all;
    cycle = new DutyCycle(engine, port);
  }

  @Override
  public void run(long nowNs) {
    turn();
  }

  @Override
  public long nextDeadlineNs() {
    return engine.hasOutput() ? port.nowNs() : engine.nextTimeout();
  }

  /**
   * A whole turn, after which engines that were handed something do what that causes, as on a
   * socket.
   *
   * @return datagrams received
   */
  int turn() {
    int received = cycle.run();
    for (int left = engine.takeRecipients(); left != 0; left &= left - 1) {
      all.get(Integer.numberOfTrailingZeros(left)).flush();
    }
    return received;
  }

  /** The sending half of a turn; a whole one comes before the clock moves on. */
  void flush() {
    cycle.flush();
    fabric.poke(this);
  }

  /** Readiness hooks that have become due. */
  List<Runnable> takeHooks() {
    engine.takeEventful(); // those that wait step the fabric and look by themselves
    return engine.takeHooks();
  }
}
