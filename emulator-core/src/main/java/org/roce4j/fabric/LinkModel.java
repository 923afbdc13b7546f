package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.verbs.VerbsException;

/**
 * The behaviour of one direction between two addresses. A datagram waits in a queue and is
 * serialised onto the link; then it may be lost; it may be copied; each copy may be corrupted; it
 * arrives after the delay and a uniformly drawn jitter, in the order of sending. A datagram chosen
 * for reordering arrives up to {@code reorderDelayNs} later, and others overtake it. Each option
 * stands for a rule, see {@link #rules}.
 *
 * <p>{@link #MAX_DELAY_NS} bounds delays. In addition a datagram is dropped as {@link
 * DropReason#EXPIRED} when 2<sup>22</sup> others were sent between the two addresses since: PSNs
 * have 24 bits, and a packet that arrives after half of them looks new.
 *
 * <p>Immutable. Start with {@link #PERFECT}; each {@code with} method returns a changed copy.
 */
public final class LinkModel {
  /** The greatest delay, jitter and extra delay, in nanoseconds: ten seconds each. */
  public static final long MAX_DELAY_NS = FaultAction.MAX_DELAY_NS;

  /** The greatest bandwidth, in bits per second. */
  public static final long MAX_BANDWIDTH = FaultAction.MAX_RATE;

  static final int MAX_QUEUE_BYTES = FaultAction.MAX_QUEUE_BYTES;

  static final int MAX_CORRUPT_BITS = FaultAction.MAX_CORRUPT_BITS;

  /** The options of a link, in the order in which they are printed. */
  public enum Option {

    /** From the last bit sent to the last bit received. */
    DELAY(Quantity.TIME, 2_000, 0, MAX_DELAY_NS),
    /** Nanoseconds added to the delay, drawn for each datagram. */
    JITTER(Quantity.TIME, 0, 0, MAX_DELAY_NS),
    /** Bits per second of IP packets; 0: infinite. */
    BANDWIDTH(Quantity.RATE, 0, 0, MAX_BANDWIDTH),
    /** Bytes of IP packets that may wait for the link; 0: unlimited. */
    QUEUE(Quantity.SIZE, 0, 0, MAX_QUEUE_BYTES),
    /** Probability that a datagram is lost. */
    LOSS(0),
    /** Probability, per datagram, that a burst of losses begins. */
    BURST_ENTER(0),
    /** Probability, per datagram, that a burst ends. */
    BURST_LEAVE(0.25),
    /** Probability that a datagram within a burst is lost. */
    BURST_LOSS(1),
    /** Probability of one further copy. */
    DUPLICATE(0),
    /** Probability that a datagram is held back so that others overtake it. */
    REORDER(0),
    /** Greatest number of nanoseconds for which a datagram is held back. */
    REORDER_DELAY(Quantity.TIME, 20_000, 0, MAX_DELAY_NS),
    /** Probability of flipped bits. */
    CORRUPT(0),
    /** Greatest number of flipped bits. */
    CORRUPT_BITS(Quantity.COUNT, 3, 1, MAX_CORRUPT_BITS);

    private final String key = name().toLowerCase(Locale.ROOT).replace('_', '-');
    private final Quantity quantity;
    private final double normal;
    private final long least;
    private final long most;

    Option(double normal) {
      this(null, normal, 0, 1);
    }

    Option(Quantity quantity, double normal, long least, long most) {
      this.quantity = quantity;
      this.normal = normal;
      this.least = least;
      this.most = most;
    }

    /** Its name in a plan. */
    public String key() {
      return key;
    }

    /** The unit of its value; null: a probability. */
    public Quantity quantity() {
      return quantity;
    }

    /** The least value. */
    public long least() {
      return least;
    }

    /** The greatest value. */
    public long most() {
      return most;
    }

    private static Option named(String key) {
      return Stream.of(values()).filter(o -> o.key.equals(key)).findAny().orElse(null);
    }

    private double read(String text) {
      return quantity == null ? Quantity.probability(text) : quantity.read(text, least, most);
    }

    private void require(double value) {
      if (quantity == null) {
        Quantity.requireProbability(key, value);
      } else {
        Quantity.requireRange(key, (long) value, least, most);
      }
    }

    private String print(double value) {
      return key + "=" + (quantity == null ? value : quantity.print((long) value));
    }
  }

  /** Two microseconds, no limit of bandwidth, no faults. */
  public static final LinkModel PERFECT =
      new LinkModel(Stream.of(Option.values()).mapToDouble(option -> option.normal).toArray());

  /** The value of each option. Whole numbers are below 2<sup>53</sup>, so they are exact. */
  private final double[] values;

  private LinkModel(double[] values) {
    this.values = values;
  }

  private double get(Option option) {
    return values[option.ordinal()];
  }

  private LinkModel with(Option option, double value) {
    option.require(value);
    double[] changed = values.clone();
    changed[option.ordinal()] = value;
    return new LinkModel(changed);
  }

  /** Whether all words are options of a link. */
  public static boolean isMeant(List<Word> words) {
    return words.stream()
        .allMatch(word -> word.value() != null && Option.named(word.key()) != null);
  }

  /**
   * Parses options as {@link #toString} prints them; absent ones have their defaults.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, naming what is not understood
   */
  public static LinkModel parse(String text) {
    return of(Word.line(text));
  }

  /**
   * The model of these words; absent options have their defaults.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood and its
   *     place
   */
  public static LinkModel of(List<Word> words) {
    LinkModel model = PERFECT;
    for (Word word : words) {
      try {
        model = model.required(word);
      } catch (VerbsException e) {
        throw word.refused(e);
      }
    }
    return model;
  }

  private LinkModel required(Word word) {
    LinkModel changed = with(word);
    if (changed == null) {
      throw Quantity.refuse("'%s' is no option of a link; it has: %s", word, PERFECT);
    }
    return changed;
  }

  /** This model changed by a word, or null if the word is not an option of links. */
  LinkModel with(Word word) {
    Option option = word.value() == null ? null : Option.named(word.key());
    return option == null ? null : with(option, word.read(option::read));
  }

  /** From the last bit sent to the last bit received. */
  public LinkModel withDelayNs(long delayNs) {
    return with(Option.DELAY, delayNs);
  }

  /** Added to the delay, uniform in 0..jitterNs. */
  public LinkModel withJitterNs(long jitterNs) {
    return with(Option.JITTER, jitterNs);
  }

  /** Bits per second of IP packets (UDP payload + 28 or 48 bytes); 0: infinite. */
  public LinkModel withBandwidth(long bandwidth) {
    return with(Option.BANDWIDTH, bandwidth);
  }

  /**
   * Bytes of IP packets that may wait or be in serialisation; a datagram beyond them is dropped. 0:
   * unlimited.
   */
  public LinkModel withQueueBytes(int queueBytes) {
    return with(Option.QUEUE, queueBytes);
  }

  /** Probability that a datagram is lost. */
  public LinkModel withLoss(double loss) {
    return with(Option.LOSS, loss);
  }

  /** Bursts of loss: probability, per datagram, to enter one, to leave it, and of loss within. */
  public LinkModel withBurst(double enter, double leave, double lossWithin) {
    return with(Option.BURST_ENTER, enter)
        .with(Option.BURST_LEAVE, leave)
        .with(Option.BURST_LOSS, lossWithin);
  }

  /** Probability of one further copy, arriving up to {@code reorderDelayNs} later. */
  public LinkModel withDuplicate(double duplicate) {
    return with(Option.DUPLICATE, duplicate);
  }

  /** Probability of being held back by 1..reorderDelayNs, uniform. */
  public LinkModel withReorder(double reorder, long reorderDelayNs) {
    return with(Option.REORDER, reorder).with(Option.REORDER_DELAY, reorderDelayNs);
  }

  /**
   * Probability of 1..corruptBits distinct flipped bits, anywhere in the UDP payload. The ICRC does
   * not detect those in the BTH byte of FECN and BECN, which networks may change.
   */
  public LinkModel withCorrupt(double corrupt, int corruptBits) {
    return with(Option.CORRUPT, corrupt).with(Option.CORRUPT_BITS, corruptBits);
  }

  /** This model without faults: the delay, jitter and bandwidth stay. */
  public LinkModel healed() {
    return PERFECT.withDelayNs(delayNs()).withJitterNs(jitterNs()).withBandwidth(bandwidth());
  }

  /** The rules that its options stand for, in the order in which they apply to a datagram. */
  public List<FaultRule> rules() {
    List<FaultRule> rules = new ArrayList<>();
    if (bandwidth() > 0) {
      rules.add(rule(1, FaultAction.of(Kind.RATE, bandwidth(), queueBytes())));
    }
    if (burstEnter() > 0) {
      rules.add(rule(burstEnter(), FaultAction.of(Kind.BURST, 0, burstLeave(), burstLoss())));
    }
    if (loss() > 0) {
      rules.add(rule(loss(), FaultAction.DROP));
    }
    rules.add(rule(1, FaultAction.of(Kind.LATENCY, delayNs(), jitterNs())));
    if (duplicate() > 0) {
      rules.add(rule(duplicate(), FaultAction.of(Kind.DUPLICATE, 1, reorderDelayNs())));
    }
    if (corrupt() > 0) {
      rules.add(rule(corrupt(), FaultAction.of(Kind.CORRUPT, corruptBits())));
    }
    if (reorder() > 0 && reorderDelayNs() > 0) {
      rules.add(rule(reorder(), FaultAction.of(Kind.DELAY, 1, reorderDelayNs() - 1)));
    }
    return rules;
  }

  private static FaultRule rule(double probability, FaultAction action) {
    return new FaultRule(FaultMatcher.ALL, FaultChoice.ALL.withProbability(probability), action);
  }

  /**
   * The rules for a device's port on sockets, which apply to the datagrams that it sends. The
   * default delay of a link is not among them, because sockets have their own latency.
   */
  public List<FaultRule> rulesOfPort() {
    FaultAction usual = FaultAction.of(Kind.LATENCY, PERFECT.delayNs(), 0);
    return rules().stream()
        .filter(rule -> !rule.action().equals(usual))
        .map(
            rule ->
                new FaultRule(
                    rule.matcher().withDirection(FaultDirection.OUT), rule.choice(), rule.action()))
        .toList();
  }

  /** A sentence for each option that changes nothing, because another one is not given. */
  public List<String> idle() {
    return Stream.of(Option.values())
        .filter(this::isIdle)
        .map(option -> option.print(get(option)) + " changes nothing without " + needed(option))
        .toList();
  }

  private boolean isIdle(Option option) {
    return get(option) != option.normal && with(option, option.normal).rules().equals(rules());
  }

  private static String needed(Option option) {
    return switch (option) {
      case QUEUE -> "bandwidth.";
      case BURST_LEAVE, BURST_LOSS -> "burst-enter.";
      case REORDER -> "reorder-delay.";
      case REORDER_DELAY -> "duplicate or reorder.";
      case CORRUPT_BITS -> "corrupt.";
      case DELAY, JITTER, BANDWIDTH, LOSS, BURST_ENTER, DUPLICATE, CORRUPT ->
          throw new IllegalStateException(option.key + " has a rule whenever it is not usual");
    };
  }

  /** Nanoseconds from the last bit sent to the last bit received; default 2 us. */
  public long delayNs() {
    return (long) get(Option.DELAY);
  }

  /** Greatest addition to the delay, uniformly drawn; default 0. */
  public long jitterNs() {
    return (long) get(Option.JITTER);
  }

  /** Bits per second of IP packets; 0: infinite. */
  public long bandwidth() {
    return (long) get(Option.BANDWIDTH);
  }

  /** Bytes of IP packets that may wait for the link; 0: unlimited. */
  public int queueBytes() {
    return (int) get(Option.QUEUE);
  }

  /** Probability that a datagram is lost, 0..1. */
  public double loss() {
    return get(Option.LOSS);
  }

  /** Probability, per datagram, that a burst of loss begins. */
  public double burstEnter() {
    return get(Option.BURST_ENTER);
  }

  /**
   * Probability, per datagram, that a burst of losses ends; default 0.25, four datagrams on
   * average.
   */
  public double burstLeave() {
    return get(Option.BURST_LEAVE);
  }

  /** Probability of loss within a burst; default 1. */
  public double burstLoss() {
    return get(Option.BURST_LOSS);
  }

  /** Probability of one further copy. */
  public double duplicate() {
    return get(Option.DUPLICATE);
  }

  /** Probability that a datagram is held back so that others overtake it. */
  public double reorder() {
    return get(Option.REORDER);
  }

  /** Greatest number of nanoseconds for which a datagram is held back; default 20 us. */
  public long reorderDelayNs() {
    return (long) get(Option.REORDER_DELAY);
  }

  /** Probability of flipped bits. */
  public double corrupt() {
    return get(Option.CORRUPT);
  }

  /** Greatest number of flipped bits, 1..32; default 3. */
  public int corruptBits() {
    return (int) get(Option.CORRUPT_BITS);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LinkModel model && Arrays.equals(values, model.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /**
   * The options that differ from those of {@link #PERFECT}, in the form that {@link #parse} reads.
   */
  public String changes() {
    return Stream.of(Option.values())
        .filter(option -> get(option) != option.normal)
        .map(option -> option.print(get(option)))
        .collect(Collectors.joining(" "));
  }

  @Override
  public String toString() {
    return Stream.of(Option.values())
        .map(option -> option.print(get(option)))
        .collect(Collectors.joining(" "));
  }
}
