package org.roce4j.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.fabric.LinkModel;

/** A scenario from which others are made. */
class ScenarioTest {
  private static final List<String> DEVICES = List.of("c", "d", "e");
  private static final List<Action> ACTIONS = List.of(ActionText.read("connect c d"));

  @Test
  void eachPropertyIsChangedAlone() {
    LinkModel link = LinkModel.parse("delay=9us");
    Scenario scenario = new Scenario("title", 5, link, DEVICES, ACTIONS);
    assertEquals(new Scenario("title", 6, link, DEVICES, ACTIONS), scenario.withSeed(6));
    assertEquals(
        new Scenario("title", 5, LinkModel.parse("loss=0.5"), DEVICES, ACTIONS),
        scenario.withLink("loss=0.5"));
    assertEquals(new Scenario("title", 5, link, List.of("f"), ACTIONS), scenario.withDevices("f"));
    assertEquals(
        new Scenario("title", 5, link, DEVICES, List.of()), scenario.withActions(List.of()));
  }
}
