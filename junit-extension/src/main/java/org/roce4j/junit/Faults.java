package org.roce4j.junit;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.fabric.LinkModel;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.options.RuleText;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.verbs.RdmaDevice;

/**
 * What {@link EmulatedRdma#faults} says: how every way behaves, and what is planned at the first
 * device. A part with options of a link alone is about every way; any other is a rule of the plan.
 */
record Faults(LinkModel links, List<FaultRule> plan, List<VerbsRule> verbs) {
  static Faults parse(String text) {
    List<Word> links = new ArrayList<>();
    List<FaultRule> rules = new ArrayList<>();
    List<VerbsRule> verbs = new ArrayList<>();
    for (List<Word> part : RuleText.read(text)) {
      if (LinkModel.isMeant(part)) {
        links.addAll(part);
      } else if (VerbsRule.isMeant(part.getFirst())) {
        verbs.add(VerbsRule.of(part));
      } else {
        rules.addAll(FaultRule.of(part));
      }
    }
    return new Faults(LinkModel.of(links), List.copyOf(rules), List.copyOf(verbs));
  }

  /** What a program meets at the verbs of a device. */
  RdmaDevice atVerbs(int device, RdmaDevice beneath, long seed) {
    return device > 0 || verbs.isEmpty()
        ? beneath
        : FaultyDevice.around(beneath, new VerbsFaults(seed, verbs));
  }

  /** The plan at the first device. */
  FaultPlan planned(long seed) {
    return new FaultPlan(seed, plan);
  }

  /**
   * The same for the port of a device on a socket, which is not a network: each device suffers at
   * its own port what the ways to the others do.
   */
  FaultPlan onPort(int device, long seed) {
    List<FaultRule> rules = new ArrayList<>(device == 0 ? plan : List.of());
    rules.addAll(links.rulesOfPort());
    return new FaultPlan(seed + device, rules);
  }
}
