package org.roce4j.fabric;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * How one direction between two addresses behaves. What happens to a datagram, in this order: it
 * waits in a queue and is serialised onto the link; it may be lost; it may be copied; each copy may
 * be corrupted; it arrives after the delay and a uniformly drawn jitter, never before what was sent
 * earlier, unless it is chosen to be reordered: then it arrives up to {@code reorderDelayNs} later
 * and others overtake it.
 *
 * <p>Delays are bounded by {@link #MAX_DELAY_NS}, and beyond that a datagram is dropped as {@link
 * DropReason#EXPIRED} once 2<sup>22</sup> others were sent between the two addresses: PSNs have 24
 * bits, and a packet that comes back after half of them looks new.
 *
 * @param delayNs from the last bit sent to the last bit received
 * @param jitterNs added to the delay, uniform in 0..jitterNs
 * @param bandwidth bits per second of IP packets (UDP payload + 28 or 48 bytes); 0: infinite
 * @param queueBytes of IP packets that may wait or be in serialisation, the next one is dropped; 0:
 *     unlimited
 * @param loss probability that a datagram is lost
 * @param burstEnter probability, per datagram, that a bad phase begins
 * @param burstLeave probability, per datagram, that a bad phase ends
 * @param burstLoss probability that a datagram is lost in a bad phase
 * @param duplicate probability of one further copy, arriving up to {@code reorderDelayNs} later
 * @param reorder probability of being held back
 * @param reorderDelayNs held back by 1..reorderDelayNs, uniform
 * @param corrupt probability of flipped bits, anywhere in the UDP payload; those in the BTH byte of
 *     FECN and BECN are legal on a wire too and no ICRC finds them
 * @param corruptBits 1..corruptBits distinct bits are flipped, uniform
 */
public record LinkModel(
    long delayNs,
    long jitterNs,
    long bandwidth,
    int queueBytes,
    double loss,
    double burstEnter,
    double burstLeave,
    double burstLoss,
    double duplicate,
    double reorder,
    long reorderDelayNs,
    double corrupt,
    int corruptBits) {
  /** Delay, jitter and extra delay are at most so long each: ten seconds. */
  public static final long MAX_DELAY_NS = 10_000_000_000L;

  /** A terabit per second. */
  public static final long MAX_BANDWIDTH = 1_000_000_000_000L;

  public static final int MAX_QUEUE_BYTES = 1 << 30;

  public static final int MAX_CORRUPT_BITS = 32;

  /** Two microseconds, no limit of bandwidth, no faults. */
  public static final LinkModel PERFECT = builder().build();

  public LinkModel {
    requireRange("delay", delayNs, MAX_DELAY_NS);
    requireRange("jitter", jitterNs, MAX_DELAY_NS);
    requireRange("bandwidth", bandwidth, MAX_BANDWIDTH);
    requireRange("queue", queueBytes, MAX_QUEUE_BYTES);
    requireProbability("loss", loss);
    requireProbability("burst-enter", burstEnter);
    requireProbability("burst-leave", burstLeave);
    requireProbability("burst-loss", burstLoss);
    requireProbability("duplicate", duplicate);
    requireProbability("reorder", reorder);
    requireRange("reorder-delay", reorderDelayNs, MAX_DELAY_NS);
    requireProbability("corrupt", corrupt);
    requireRange("corrupt-bits", corruptBits, MAX_CORRUPT_BITS);
    if (corruptBits == 0) {
      throw refuse("corrupt-bits is at least 1; set corrupt=0 for none");
    }
  }

  public static Builder builder() {
    return new Builder();
  }

  /** The options that {@link #toString} prints; what is absent keeps its default. */
  public static LinkModel parse(String text) {
    Builder builder = builder();
    for (String option : text.strip().split("\\s+")) {
      int equals = option.indexOf('=');
      if (!option.isEmpty()
          && (equals < 0
              || !builder.set(option.substring(0, equals), option.substring(equals + 1)))) {
        throw refuse("'" + option + "' is no option of a link; it has: " + PERFECT);
      }
    }
    return builder.build();
  }

  /** A builder that starts from this model. */
  public Builder toBuilder() {
    Builder b = new Builder();
    b.delayNs = delayNs;
    b.jitterNs = jitterNs;
    b.bandwidth = bandwidth;
    b.queueBytes = queueBytes;
    b.loss = loss;
    b.burstEnter = burstEnter;
    b.burstLeave = burstLeave;
    b.burstLoss = burstLoss;
    b.duplicate = duplicate;
    b.reorder = reorder;
    b.reorderDelayNs = reorderDelayNs;
    b.corrupt = corrupt;
    b.corruptBits = corruptBits;
    return b;
  }

  /** The same delay, jitter and bandwidth, and nothing lost, copied, reordered or corrupted. */
  public LinkModel healed() {
    return builder().delayNs(delayNs).jitterNs(jitterNs).bandwidth(bandwidth).build();
  }

  @Override
  public String toString() {
    return "delay="
        + OptionText.time(delayNs)
        + " jitter="
        + OptionText.time(jitterNs)
        + " bandwidth="
        + bandwidth
        + " queue="
        + queueBytes
        + " loss="
        + loss
        + " burst-enter="
        + burstEnter
        + " burst-leave="
        + burstLeave
        + " burst-loss="
        + burstLoss
        + " duplicate="
        + duplicate
        + " reorder="
        + reorder
        + " reorder-delay="
        + OptionText.time(reorderDelayNs)
        + " corrupt="
        + corrupt
        + " corrupt-bits="
        + corruptBits;
  }

  static VerbsException refuse(String remedy) {
    return new VerbsException(Errno.EINVAL, remedy);
  }

  private static void requireRange(String key, long value, long most) {
    if (value < 0 || value > most) {
      throw refuse(key + "=" + value + " is outside 0.." + most);
    }
  }

  private static void requireProbability(String key, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw refuse(key + "=" + value + " is no probability: give 0..1");
    }
  }

  /** Gathers the properties of a {@link LinkModel}. */
  public static final class Builder {
    private long delayNs = 2_000;
    private long jitterNs;
    private long bandwidth;
    private int queueBytes;
    private double loss;
    private double burstEnter;
    private double burstLeave = 0.25;
    private double burstLoss = 1;
    private double duplicate;
    private double reorder;
    private long reorderDelayNs = 20_000;
    private double corrupt;
    private int corruptBits = 3;

    Builder() {}

    public Builder delayNs(long delayNs) {
      this.delayNs = delayNs;
      return this;
    }

    public Builder jitterNs(long jitterNs) {
      this.jitterNs = jitterNs;
      return this;
    }

    /** Bits per second; 0: infinite. */
    public Builder bandwidth(long bandwidth) {
      this.bandwidth = bandwidth;
      return this;
    }

    public Builder queueBytes(int queueBytes) {
      this.queueBytes = queueBytes;
      return this;
    }

    public Builder loss(double loss) {
      this.loss = loss;
      return this;
    }

    /** Bursts of loss: probability to enter one, to leave it, and of loss within it. */
    public Builder burst(double enter, double leave, double lossWithin) {
      burstEnter = enter;
      burstLeave = leave;
      burstLoss = lossWithin;
      return this;
    }

    public Builder duplicate(double duplicate) {
      this.duplicate = duplicate;
      return this;
    }

    /** Probability of being held back, and for how long at most. */
    public Builder reorder(double reorder, long reorderDelayNs) {
      this.reorder = reorder;
      this.reorderDelayNs = reorderDelayNs;
      return this;
    }

    /** Probability of corruption, and how many bits are flipped at most. */
    public Builder corrupt(double corrupt, int corruptBits) {
      this.corrupt = corrupt;
      this.corruptBits = corruptBits;
      return this;
    }

    /** Sets the option that {@link LinkModel#toString} calls {@code key}; false: no such option. */
    boolean set(String key, String value) {
      switch (key) {
        case "delay" -> delayNs = OptionText.number(key, value);
        case "jitter" -> jitterNs = OptionText.number(key, value);
        case "bandwidth" -> bandwidth = OptionText.number(key, value);
        case "queue" -> queueBytes = OptionText.integer(key, value);
        case "loss" -> loss = OptionText.probability(key, value);
        case "burst-enter" -> burstEnter = OptionText.probability(key, value);
        case "burst-leave" -> burstLeave = OptionText.probability(key, value);
        case "burst-loss" -> burstLoss = OptionText.probability(key, value);
        case "duplicate" -> duplicate = OptionText.probability(key, value);
        case "reorder" -> reorder = OptionText.probability(key, value);
        case "reorder-delay" -> reorderDelayNs = OptionText.number(key, value);
        case "corrupt" -> corrupt = OptionText.probability(key, value);
        case "corrupt-bits" -> corruptBits = OptionText.integer(key, value);
        default -> {
          return false;
        }
      }
      return true;
    }

    /**
     * @throws VerbsException EINVAL for a value out of its range
     */
    public LinkModel build() {
      return new LinkModel(
          delayNs,
          jitterNs,
          bandwidth,
          queueBytes,
          loss,
          burstEnter,
          burstLeave,
          burstLoss,
          duplicate,
          reorder,
          reorderDelayNs,
          corrupt,
          corruptBits);
    }
  }
}
