package org.roce4j.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.roce4j.fabric.LinkModel;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;

/**
 * What {@link EmulatedRdma#faults} says: how every way behaves, and what is planned at the first
 * device.
 */
record Faults(LinkModel links, List<FaultRule> plan) {
  /** What only a rule of a plan has. */
  private static final Set<String> MATCHERS =
      Set.of("direction", "opcode", "qpn", "psn", "nth", "first", "every", "times", "probability");

  static Faults parse(String text) {
    StringBuilder links = new StringBuilder();
    List<FaultRule> rules = new ArrayList<>();
    for (String part : text.split("[;\\n]")) {
      if (isRule(part.strip())) {
        rules.add(FaultRule.parse(part));
      } else {
        links.append(part).append(' ');
      }
    }
    return new Faults(LinkModel.parse(links.toString()), List.copyOf(rules));
  }

  private static boolean isRule(String part) {
    String[] words = part.split("\\s+");
    if (!part.isEmpty() && words[0].indexOf('=') < 0) {
      return true;
    }
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals > 0 && MATCHERS.contains(word.substring(0, equals))) {
        return true;
      }
    }
    return false;
  }

  /** The plan at the first device. */
  FaultPlan planned(long seed) {
    return new FaultPlan(seed, plan);
  }

  /**
   * The same for the port of a device on a socket, which is not a network: what it sends may be
   * lost, doubled, overtaken and corrupted.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL for what needs the fabric
   */
  FaultPlan onPort(int device, long seed) {
    requireNoTiming();
    List<FaultRule> rules = new ArrayList<>(device == 0 ? plan : List.of());
    add(rules, links.loss(), FaultAction.DROP);
    add(rules, links.duplicate(), FaultAction.DUPLICATE);
    add(rules, links.reorder(), FaultAction.reorder(1));
    add(rules, links.corrupt(), FaultAction.CORRUPT_PAYLOAD);
    return new FaultPlan(seed + device, rules);
  }

  private static void add(List<FaultRule> rules, double probability, FaultAction action) {
    if (probability > 0) {
      FaultMatcher matcher =
          FaultMatcher.ALL.withDirection(FaultDirection.OUT).withProbability(probability);
      rules.add(new FaultRule(matcher, action));
    }
  }

  private void requireNoTiming() {
    LinkModel none = LinkModel.PERFECT;
    if (links.delayNs() != none.delayNs()
        || links.jitterNs() != none.jitterNs()
        || links.bandwidth() != none.bandwidth()
        || links.queueBytes() != none.queueBytes()
        || links.burstEnter() != none.burstEnter()) {
      throw RequestedNetwork.refuse(
          "sockets know no delay, jitter, bandwidth, queue and bursts of a link; use"
              + " transport = \"fabric\", or a rule such as \"delay=1ms probability=10%\"");
    }
  }
}
