package org.roce4j.lab;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.fabric.LinkModel;
import org.roce4j.options.Quantity;

/**
 * The devices and actions of a lab, from its beginning. Immutable. The same scenario gives the same
 * packets, numbers, keys and times in every run.
 *
 * @param title title in one line
 * @param seed seed of queue pair numbers, keys and random decisions
 * @param link model of every link
 * @param devices names of the devices in small letters; the first has address 10.0.0.1
 * @param actions actions in their order
 */
public record Scenario(
    String title, long seed, LinkModel link, List<String> devices, List<Action> actions) {
  /**
   * A link with a delay of five microseconds, slow enough that packets of a message arrive one by
   * one.
   */
  public static final LinkModel USUAL_LINK = LinkModel.parse("delay=5us bandwidth=1G");

  private static final int MOST_DEVICES = 4;

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for no or more than four devices, and for names
   *     that are not letters or not distinct
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

  /** A scenario of two devices, {@code a} and {@code b}, without actions. */
  public static Scenario of(String title) {
    return new Scenario(title, 1, USUAL_LINK, List.of("a", "b"), List.of());
  }

  /** This scenario with other devices. */
  public Scenario withDevices(String... names) {
    return new Scenario(title, seed, link, List.of(names), actions);
  }

  /** This scenario with another seed. */
  public Scenario withSeed(long value) {
    return new Scenario(title, value, link, devices, actions);
  }

  /** This scenario with another link model, as text for {@link LinkModel#parse}. */
  public Scenario withLink(String words) {
    return new Scenario(title, seed, LinkModel.parse(words), devices, actions);
  }

  /** This scenario with other actions. */
  public Scenario withActions(List<Action> others) {
    return new Scenario(title, seed, link, devices, others);
  }

  /**
   * This scenario with further actions, one line each.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood
   */
  public Scenario then(String... lines) {
    List<Action> more = new ArrayList<>(actions);
    for (String line : lines) {
      more.add(ActionText.read(line));
    }
    return withActions(more);
  }
}
