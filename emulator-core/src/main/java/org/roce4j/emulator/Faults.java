package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.fabric.LinkModel;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.faulty.VerbsLog;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.options.Quantity;
import org.roce4j.options.RuleText;
import org.roce4j.options.Said;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/**
 * A whole plan of faults: how the ways between devices behave, what the datagrams of one device
 * suffer, and what a program meets at its verbs.
 *
 * @param seed of all probabilities
 * @param links of every way
 * @param packets in their order
 * @param verbs in their order
 */
public record Faults(long seed, LinkModel links, List<FaultRule> packets, List<VerbsRule> verbs) {
  /** No faults. */
  public static final Faults NONE = new Faults(0, LinkModel.PERFECT, List.of(), List.of());

  private static final String LINKS = "links";

  /** Copies of the rules. */
  public Faults {
    packets = List.copyOf(packets);
    verbs = List.copyOf(verbs);
  }

  /**
   * The plan of a text, or of the file that it names: {@code links loss=1% delay=5us; drop nth=3;
   * refuse=ENOMEM call=registerMemory}.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood, with its place
   *     in the file; ENOENT for a file that cannot be read
   */
  public static Faults parse(String text) {
    return of(RuleText.read(text), false);
  }

  /**
   * As {@link #parse}, but a part with options of a link alone is about every way: {@code loss=1%
   * delay=5us} needs no {@code links}.
   */
  public static Faults ofWays(String text) {
    return of(RuleText.read(text), true);
  }

  private static Faults of(List<List<Word>> parts, boolean ofWays) {
    List<List<Word>> packets = new ArrayList<>();
    List<Word> links = new ArrayList<>();
    List<VerbsRule> verbs = new ArrayList<>();
    for (List<Word> part : parts) {
      Word first = part.getFirst();
      if (first.key().equals(LINKS)) {
        links.addAll(optionsOf(part));
      } else if (ofWays && LinkModel.isMeant(part)) {
        links.addAll(part);
      } else if (VerbsRule.isMeant(first)) {
        verbs.add(VerbsRule.of(part));
      } else {
        packets.add(ofPackets(part));
      }
    }
    Said said = new Said();
    links.forEach(word -> requireOnce(word, said));
    FaultPlan plan = FaultPlan.of(packets);
    return new Faults(plan.seed(), LinkModel.of(links), plan.rules(), verbs);
  }

  private static void requireOnce(Word word, Said said) {
    try {
      said.once(word, word.key());
    } catch (VerbsException e) {
      throw word.refused(e);
    }
  }

  private static List<Word> ofPackets(List<Word> part) {
    Word first = part.getFirst();
    if (FaultAction.Kind.named(first.key()) == null && !first.key().equals("seed")) {
      throw first.refused(
          Quantity.refuse(
              "'%s' is no fault; there are: %s; at the verbs: %s",
              first, FaultAction.Kind.names(), VerbsRule.names()));
    }
    return part;
  }

  private static List<Word> optionsOf(List<Word> part) {
    Word first = part.getFirst();
    if (first.value() != null) {
      throw first.refused(
          Quantity.refuse("%s: the options of the links follow, such as loss=1%%", first));
    }
    return part.subList(1, part.size());
  }

  /** With another seed. */
  public Faults withSeed(long value) {
    return new Faults(value, links, packets, verbs);
  }

  /** Whether any datagram may suffer something. */
  public boolean meansPackets() {
    return !packets.isEmpty() || !links.equals(LinkModel.PERFECT);
  }

  /** What the datagrams of one device suffer on a network that has the links. */
  public FaultPlan ofPackets() {
    return new FaultPlan(seed, packets);
  }

  /**
   * What the datagrams of a device on a socket suffer at its port, which is not a network: at each
   * device what the ways do, at the first the rules too.
   *
   * @param device from 0
   */
  public FaultPlan ofPort(int device) {
    List<FaultRule> rules = new ArrayList<>(device == 0 ? packets : List.of());
    rules.addAll(links.rulesOfPort());
    return new FaultPlan(seed + device, rules);
  }

  /** The options of a device on a socket with these faults; without any, as they were. */
  public DeviceOptions atPort(DeviceOptions options, int device) {
    FaultPlan plan = ofPort(device);
    return plan.rules().isEmpty() ? options : options.withFaults(plan);
  }

  /**
   * What a program meets at the verbs of a device.
   *
   * @param clock nanoseconds; on a virtual network its own
   */
  public RdmaDevice atVerbs(RdmaDevice beneath, LongSupplier clock) {
    return atVerbs(beneath, clock, null);
  }

  /**
   * What a program meets at the verbs of a device.
   *
   * @param clock nanoseconds; on a virtual network its own
   * @param log counts what rules can match and what they choose; null: nothing is counted
   */
  public RdmaDevice atVerbs(RdmaDevice beneath, LongSupplier clock, VerbsLog log) {
    return verbs.isEmpty()
        ? beneath
        : FaultyDevice.around(beneath, new VerbsFaults(seed, verbs), clock, log);
  }

  /** What the plan does, a sentence a rule: links, datagrams, verbs. */
  public List<String> explain() {
    List<FaultRule> ways = links.equals(LinkModel.PERFECT) ? List.of() : links.rules();
    Stream<String> ofWays =
        new FaultPlan(seed, ways).explain().stream().map(it -> "On every way: o" + it.substring(1));
    Stream<String> idle = links.idle().stream().map("On every way: "::concat);
    return Stream.of(
            ofWays, idle, ofPackets().explain().stream(), verbs.stream().map(VerbsRule::explain))
        .flatMap(sentences -> sentences)
        .toList();
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    Stream<String> ways =
        links.equals(LinkModel.PERFECT) ? Stream.of() : Stream.of(LINKS + " " + links.changes());
    return Stream.of(Stream.of("seed=" + seed), ways, packets.stream(), verbs.stream())
        .flatMap(parts -> parts)
        .map(Object::toString)
        .collect(Collectors.joining("; "));
  }
}
