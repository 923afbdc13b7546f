package org.roce4j.emulator;

import java.util.List;
import org.roce4j.drive.DutyCycle;
import org.roce4j.engine.Engine;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.Node;
import org.roce4j.port.Port;

/**
 * An engine with its port on the fabric, used by the thread that holds the {@link FabricLock}. An
 * internal error of the engine is thrown in the thread that runs it.
 */
final class FabricEngine implements Node {
  /** The network, on which the engine takes turns. */
  private final Fabric fabric;

  /** The node that takes the engine's turns. */
  private final Engine engine;

  /** The engine's port on the network. */
  private final Port port;

  /** One turn of the engine. */
  private final DutyCycle cycle;

  /** The device's engines by index, including this one. */
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
   * Takes a whole turn; then the engines to which datagrams were handed over take one, as on
   * sockets.
   *
   * @return the number of datagrams received
   */
  int turn() {
    int received = cycle.run();
    cycle.throwFailure();
    for (int left = engine.takeRecipients(); left != 0; left &= left - 1) {
      all.get(Integer.numberOfTrailingZeros(left)).flush();
    }
    return received;
  }

  /** Takes the sending half of a turn; a whole turn follows before the clock moves on. */
  void flush() {
    cycle.flush();
    cycle.throwFailure();
    fabric.poke(this);
  }

  /** Holds posted requests that may wait for the next turn or a deadline. */
  void hold() {
    cycle.hold();
    cycle.throwFailure();
  }

  /** Sends the held requests. */
  void letGo() {
    if (engine.isRung()) {
      flush();
    }
  }

  /**
   * Removes and returns the readiness hooks that are due. Waiting threads need no signal: they step
   * the fabric and check their conditions themselves.
   */
  List<Runnable> takeHooks() {
    return engine.takeHooks();
  }
}
