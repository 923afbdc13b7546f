package org.roce4j.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.roce4j.wire.view.View;

/**
 * Plays a scenario, action by action, on a virtual network whose time stands still between actions.
 * A step back plays all actions again except the last. For one thread at a time.
 *
 * <pre>{@code
 * try (LabSession lab = LabSession.of(Scenario.of("a lost packet"))) {
 *   lab.act("connect a b");
 *   lab.act("receive b1");
 *   lab.act("send a1 text=hello");
 *   lab.act("packet 1 drop");
 *   lab.act("run");
 * }
 * }</pre>
 */
public final class LabSession implements AutoCloseable {
  private Scenario scenario;
  private LabWorld world;

  private LabSession(Scenario scenario) {
    this.scenario = scenario;
    world = played(scenario);
  }

  /** A session that has played all actions of a scenario. */
  public static LabSession of(Scenario scenario) {
    return new LabSession(scenario);
  }

  private static LabWorld played(Scenario scenario) {
    LabWorld world = new LabWorld(scenario);
    scenario.actions().forEach(world::act);
    return world;
  }

  /**
   * Plays one more action.
   *
   * @return the events, the action first; a refusal by a verb is an event
   * @throws IllegalArgumentException if it names a device, queue pair or packet that does not
   *     exist; nothing has changed
   */
  public List<Happening> act(Action action) {
    int before = world.log().size();
    world.act(action);
    List<Action> actions = new ArrayList<>(scenario.actions());
    actions.add(action);
    scenario = scenario.withActions(actions);
    List<Happening> all = world.log().all();
    return all.subList(before, all.size());
  }

  /**
   * Plays the action of a line.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL if it is not understood; nothing has changed
   * @throws IllegalArgumentException as {@link #act(Action)}
   */
  public List<Happening> act(String line) {
    return act(ActionText.read(line));
  }

  /** Undoes the last action; does nothing if there is none. */
  public void back() {
    List<Action> actions = scenario.actions();
    if (!actions.isEmpty()) {
      Scenario shorter = scenario.withActions(actions.subList(0, actions.size() - 1));
      LabWorld earlier = played(shorter);
      world.close();
      world = earlier;
      scenario = shorter;
    }
  }

  /** The scenario of all actions played, which repeats this session. */
  public Scenario scenario() {
    return scenario;
  }

  /** The current state. */
  public LabState state() {
    return world.state();
  }

  /** All events, in order. */
  public List<Happening> happenings() {
    return world.log().all();
  }

  /** All packets, in the order of sending. */
  public List<LabPacket> packets() {
    return world.packets();
  }

  /**
   * A view of the packets and of the events of both ends. Packet {@code n} of the page is that of
   * {@link #packets}.
   */
  public View view() {
    return Drawing.of(this);
  }

  /** All events, one line each. */
  public String transcript() {
    return happenings().stream().map(h -> h + "\n").collect(Collectors.joining());
  }

  @Override
  public void close() {
    world.close();
  }
}
