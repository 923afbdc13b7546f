package org.roce4j.lab;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.fabric.LinkModel;
import org.roce4j.options.Quantity;

/**
 * A lab from its beginning: what there is, and what is done. Immutable; the same scenario gives the
 * same packets, numbers, keys and times in every run.
 *
 * @param title a line
 * @param seed of queue pair numbers, keys and what chance decides
 * @param link every way between two devices
 * @param devices their names, letters; the first has address 10.0.0.1
 * @param actions what is done, in this order
 */
public record Scenario(
    String title, long seed, LinkModel link, List<String> devices, List<Action> actions) {
  /** Five microseconds long, and slow enough that packets of a message arrive one by one. */
  public static final LinkModel USUAL_LINK = LinkModel.parse("delay=5us bandwidth=1G");

  private static final int MOST_DEVICES = 4;

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for none or more than four devices, and for
   *     names that are no letters or not unlike each other
   */
  public Scenario {
    devices = List.copyOf(devices);
    actions = List.copyOf(actions);
    if (devices.isEmpty()
        || devices.size() > MOST_DEVICES
        || devices.stream().distinct().count() != devices.size()
        || !devices.stream().allMatch(name -> name.matches("[a-z]{1,8}"))) {
      throw Quantity.refuse(
          "devices %s: give 1 to %d names in small letters, each another", devices, MOST_DEVICES);
    }
  }

  /** Two devices, {@code a} and {@code b}, and nothing done yet. */
  public static Scenario of(String title) {
    return new Scenario(title, 1, USUAL_LINK, List.of("a", "b"), List.of());
  }

  /** The same with other devices. */
  public Scenario withDevices(String... names) {
    return new Scenario(title, seed, link, List.of(names), actions);
  }

  /** The same with another seed. */
  public Scenario withSeed(long value) {
    return new Scenario(title, value, link, devices, actions);
  }

  /** The same over other links, in the words of {@link LinkModel#parse}. */
  public Scenario withLink(String words) {
    return new Scenario(title, seed, LinkModel.parse(words), devices, actions);
  }

  /** The same with other actions. */
  public Scenario withActions(List<Action> others) {
    return new Scenario(title, seed, link, devices, others);
  }

  /**
   * The same with more actions, a line each.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood
   */
  public Scenario then(String... lines) {
    List<Action> more = new ArrayList<>(actions);
    for (String line : lines) {
      more.add(ActionText.read(line));
    }
    return withActions(more);
  }
}
