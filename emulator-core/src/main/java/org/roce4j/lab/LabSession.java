package org.roce4j.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.roce4j.wire.view.View;

/**
 * Plays a scenario, action by action, on devices of a virtual network whose time stands still. A
 * step back plays all but the last action anew. For one thread at a time.
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

  /** A session in which all actions of a scenario are played. */
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
   * @return what happened, the action first; what a verb refused is told so
   * @throws IllegalArgumentException when it names a device, queue pair or packet that is not
   *     there; nothing has changed then
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
   * @throws org.roce4j.verbs.VerbsException EINVAL when it is not understood; nothing has changed
   * @throws IllegalArgumentException as {@link #act(Action)}
   */
  public List<Happening> act(String line) {
    return act(ActionText.read(line));
  }

  /** As if the last action had not been; without one nothing changes. */
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

  /** All that was played: it begins this session anew. */
  public Scenario scenario() {
    return scenario;
  }

  /** What there is now. */
  public LabState state() {
    return world.state();
  }

  /** All that has happened, in this order. */
  public List<Happening> happenings() {
    return world.log().all();
  }

  /** All packets, in the order of sending. */
  public List<LabPacket> packets() {
    return world.packets();
  }

  /**
   * The packets, ready to be drawn, and beside them what both ends do; packet {@code n} of the page
   * is that of {@link #packets}.
   */
  public View view() {
    return Drawing.of(this);
  }

  /** All that has happened, a line each. */
  public String transcript() {
    return happenings().stream().map(h -> h + "\n").collect(Collectors.joining());
  }

  @Override
  public void close() {
    world.close();
  }
}
