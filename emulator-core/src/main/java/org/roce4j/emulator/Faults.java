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
 * A complete plan of faults: the model of the links, the faults of the datagrams of one device, and
 * the faults at the verbs.
 *
 * @param seed seed of all probabilities
 * @param links options of every link
 * @param packets rules for datagrams, in their order
 * @param verbs rules for verbs, in their order
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
   * Parses a plan, or reads the file that the text names: {@code links loss=1% delay=5us; drop
   * nth=3; refuse=ENOMEM call=registerMemory}.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood and its
   *     place in the file; ENOENT for a file that cannot be read
   */
  public static Faults parse(String text) {
    return of(RuleText.read(text), false);
  }

  /**
   * As {@link #parse}, but a part that has only options of a link applies to every link: {@code
   * loss=1% delay=5us} needs no {@code links}.
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

  /** Whether it has faults of datagrams. */
  public boolean meansPackets() {
    return !packets.isEmpty() || !links.equals(LinkModel.PERFECT);
  }

  /** The plan for the datagrams of one device, on a network that has the links. */
  public FaultPlan ofPackets() {
    return new FaultPlan(seed, packets);
  }

  /**
   * The plan for the datagrams of a device on a socket, at its port, where there is no network with
   * links: the options of the links apply at each device, and the rules at the first device only.
   *
   * @param device number of the device, from 0
   */
  public FaultPlan ofPort(int device) {
    List<FaultRule> rules = new ArrayList<>(device == 0 ? packets : List.of());
    rules.addAll(links.rulesOfPort());
    return new FaultPlan(seed + device, rules);
  }

  /** The options of a device on a socket with these faults; unchanged if there are none. */
  public DeviceOptions atPort(DeviceOptions options, int device) {
    FaultPlan plan = ofPort(device);
    return plan.rules().isEmpty() ? options : options.withFaults(plan);
  }

  /**
   * The faults at the verbs of a device.
   *
   * @param clock nanoseconds; on a virtual network its clock
   */
  public RdmaDevice atVerbs(RdmaDevice beneath, LongSupplier clock) {
    return atVerbs(beneath, clock, null);
  }

  /**
   * The faults at the verbs of a device.
   *
   * @param clock nanoseconds; on a virtual network its clock
   * @param log counts what rules can match and what they choose; null: nothing is counted
   */
  public RdmaDevice atVerbs(RdmaDevice beneath, LongSupplier clock, VerbsLog log) {
    return verbs.isEmpty()
        ? beneath
        : FaultyDevice.around(beneath, new VerbsFaults(seed, verbs), clock, log);
  }

  /** Explains the plan, one sentence for each rule: links, datagrams, verbs. */
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

  /** The text that {@link #parse} reads. */
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
