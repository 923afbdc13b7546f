package org.roce4j.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.fabric.LinkModel;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.verbs.GlobalRouteHeader;

/**
 * The options of a run. They are drawn from the seed, so a seed is enough to repeat a run. {@link
 * #toString} prints all of them in one line, and {@link #parse} reads that line, edited or not.
 * Immutable.
 *
 * <p>Swarm testing: each run leaves out some kinds of requests and some kinds of faults, because a
 * constant mixture hides the failures of one kind alone.
 */
public final class SimulationOptions {
  private static final int[] MTUS = {256, 512, 1024, 2048, 4096};
  private static final Knob[] WEIGHTS = {
    Knob.SEND, Knob.SEND_IMM, Knob.WRITE, Knob.WRITE_IMM, Knob.READ, Knob.CAS, Knob.FAA
  };

  /** Faults that silence a device. */
  private static final List<Knob> OUTAGES =
      List.of(Knob.PAUSES, Knob.PARTITIONS, Knob.PORTS, Knob.BREAKS, Knob.CRASHES);

  /** Faults that only slow an application down or misuse the API. */
  private static final List<Knob> MISUSE = List.of(Knob.OVERSIZED, Knob.STALLS);

  private static final int ENDLESS_RNR_RETRY = 7;

  private final long seed;
  private final long[] values;
  private final LinkModel link;

  private SimulationOptions(long seed, long[] values, LinkModel link) {
    this.seed = seed;
    this.values = values;
    this.link = link;
  }

  /** The seed of everything random in the run. */
  public long seed() {
    return seed;
  }

  /** The behaviour of the links until the faults stop. */
  public LinkModel link() {
    return link;
  }

  long get(Knob knob) {
    return values[knob.ordinal()];
  }

  int integer(Knob knob) {
    return (int) get(knob);
  }

  boolean on(Knob knob) {
    return get(knob) != 0;
  }

  boolean severalEngines() {
    return get(Knob.ENGINES) > 1;
  }

  /** Whether a device has more than one completion queue. */
  boolean severalCqs() {
    return on(Knob.SPLIT_CQS) || severalEngines();
  }

  /** The number of queue pairs at a time. */
  int ends() {
    return 2 * integer(Knob.CONNECTIONS) + integer(Knob.DATAGRAM_ENDS);
  }

  /** Longest message of a connection, bytes. */
  int longestMessage() {
    return integer(Knob.PACKETS) * integer(Knob.MTU);
  }

  /** Longest received datagram with its network header, bytes. */
  int longestDatagram() {
    return integer(Knob.MTU) + GlobalRouteHeader.SIZE;
  }

  /** The number of requests that complete before the faults stop. */
  long requestsUnderFaults() {
    return ends() * get(Knob.OPERATIONS) * get(Knob.HEAL) / 100;
  }

  /** The options of a seed. */
  public static SimulationOptions draw(long seed) {
    return new Drawing(seed).options();
  }

  /**
   * The same run without faults: links carry everything at once and in order, devices and
   * applications always work, and senders wait for receivers. Nothing may fail.
   */
  public SimulationOptions withoutFaults() {
    long[] healthy = values.clone();
    OUTAGES.forEach(fault -> healthy[fault.ordinal()] = 0);
    MISUSE.forEach(fault -> healthy[fault.ordinal()] = 0);
    healthy[Knob.RNR_RETRY.ordinal()] = ENDLESS_RNR_RETRY;
    LinkModel carrying =
        LinkModel.PERFECT.withDelayNs(link.delayNs()).withJitterNs(link.jitterNs());
    return new SimulationOptions(seed, healthy, carrying);
  }

  /**
   * Reads a line of options as {@link #toString} prints it. Missing options are drawn from the
   * line's seed.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, naming the word that is not understood
   */
  public static SimulationOptions parse(String line) {
    List<Word> words = Word.line(line);
    long seed = 0;
    for (Word word : words) {
      if (word.key().equals("seed")) {
        seed = word.read(Quantity.COUNT::read);
      }
    }
    SimulationOptions drawn = draw(seed);
    long[] values = drawn.values.clone();
    StringBuilder link = new StringBuilder(drawn.link.toString());
    for (Word word : words) {
      Knob knob = Knob.of(word.key());
      if (knob != null) {
        values[knob.ordinal()] = word.read(knob::read);
      } else if (!word.key().equals("seed")) {
        link.append(' ').append(word);
      }
    }
    if (Arrays.stream(MTUS).noneMatch(mtu -> mtu == values[Knob.MTU.ordinal()])) {
      throw Quantity.refuse("mtu must be one of 256, 512, 1024, 2048, 4096");
    }
    if (Long.bitCount(values[Knob.ENGINES.ordinal()]) != 1) {
      throw Quantity.refuse("engines must be one of 1, 2, 4, 8, 16");
    }
    return new SimulationOptions(seed, values, LinkModel.parse(link.toString()));
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(800).append("seed=").append(seed);
    for (Knob knob : Knob.values()) {
      line.append(' ').append(knob.key()).append('=').append(get(knob));
    }
    return line.append(' ').append(link).toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SimulationOptions that
        && seed == that.seed
        && Arrays.equals(values, that.values)
        && link.equals(that.link);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(seed) * 31 + Arrays.hashCode(values);
  }

  /** Draws all options of one seed. */
  private static final class Drawing {
    private final long seed;
    private final SplittableRandom random;
    private final long[] values = new long[Knob.values().length];

    Drawing(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
    }

    SimulationOptions options() {
      set(Knob.DEVICES, between(2, 4));
      set(Knob.CONNECTIONS, between(1, 4));
      set(Knob.IPV6, chance(30) ? 1 : 0);
      set(Knob.SPLIT_CQS, chance(40) ? 1 : 0);
      shape();
      posting();
      reliability();
      operations();
      LinkModel link = link();
      services();
      adversity();
      set(Knob.DEVICE_PORTS, 1);
      set(Knob.ENGINES, new long[] {1, 2, 4}[pick(8, 1, 1)]);
      set(Knob.UNSTEERED, chance(50) ? 1 : 0);
      set(Knob.HELD, new long[] {0, 1, 15, 63}[pick(3, 1, 5, 1)]);
      return new SimulationOptions(seed, values, link);
    }

    private void shape() {
      int mtu = MTUS[pick(30, 20, 25, 10, 15)];
      set(Knob.MTU, mtu);
      set(Knob.OPERATIONS, between(10, 70));
      int most = mtu == 4096 ? 72 : mtu == 2048 ? 100 : 200;
      set(
          Knob.PACKETS,
          new long[] {1, 3, between(4, 20), between(64, 72), most}[pick(1, 2, 3, 3, 1)]);
    }

    private void posting() {
      set(Knob.SQ, new long[] {1, 2, 8, 16, 64}[pick(1, 1, 3, 3, 2)]);
      set(Knob.RQ, new long[] {1, 2, 4, 16}[pick(1, 2, 3, 3)]);
      set(Knob.BATCH, between(1, 8));
      set(Knob.THINK, new long[] {0, 1_000, 10_000, 200_000}[pick(3, 2, 3, 2)]);
      set(Knob.SGES, new long[] {1, 2, 4, 8}[pick(3, 2, 2, 1)]);
      set(Knob.INLINE, new long[] {0, 16, 220, 512}[pick(3, 1, 2, 1)]);
      set(Knob.SIGNAL, new long[] {100, 80, 30, 5}[pick(3, 2, 3, 2)]);
      set(Knob.FENCE, new long[] {0, 10, 50}[pick(3, 3, 1)]);
      set(Knob.SOLICIT, new long[] {0, 30}[pick(1, 1)]);
      set(Knob.LATE, new long[] {0, 10, 60, 100}[pick(4, 3, 2, 1)]);
      set(Knob.LATE_NS, new long[] {10_000, 200_000, 3_000_000}[pick(2, 3, 2)]);
    }

    private void reliability() {
      int credits = new int[] {1, 2, 4, 16}[pick(2, 2, 3, 2)];
      set(Knob.RD_ATOMIC, credits);
      set(Knob.DEST_RD_ATOMIC, credits + (chance(30) ? between(1, 3) : 0));
      set(Knob.TIMEOUT, new long[] {6, 8, 10, 12, 14}[pick(1, 3, 3, 2, 1)]);
      set(Knob.RETRY, new long[] {7, between(3, 6), between(0, 2)}[pick(7, 2, 1)]);
      set(Knob.RNR_RETRY, chance(80) ? 7 : between(0, 6));
      set(Knob.RNR_TIMER, chance(90) ? between(1, 14) : between(15, 20));
      set(Knob.WRAP, new long[] {0, 20, 500}[pick(1, 1, 1)]);
      set(Knob.WINDOWS, chance(30) ? 1 : 0);
      set(Knob.SHARED_COUNTERS, chance(50) ? between(1, 4) : 0);
      set(Knob.HEAL, new long[] {100, between(30, 99)}[pick(1, 2)]);
    }

    private void operations() {
      long sum = 0;
      for (Knob weight : WEIGHTS) {
        set(weight, chance(30) ? 0 : between(1, 10));
        sum += values[weight.ordinal()];
      }
      if (sum == 0) {
        set(Knob.READ, 1);
        set(Knob.SEND, 1);
      }
    }

    private void services() {
      set(Knob.UC, new long[] {0, 50, 100}[pick(5, 3, 2)]);
      set(Knob.SRQ, chance(30) ? 1 : 0);
      boolean datagrams = chance(50);
      set(Knob.DATAGRAM_ENDS, datagrams ? between(2, 6) : 0);
      set(Knob.GROUPS, datagrams ? between(0, 2) : 0);
      set(Knob.WRONG_KEYS, chance(30) ? 10 : 0);
      set(Knob.OVERSIZED, chance(30) ? 3 : 0);
    }

    private void adversity() {
      if (chance(20)) {
        set(Knob.DEVICES, 5);
      }
      set(Knob.OUTAGE_NS, new long[] {20_000, 500_000, 5_000_000, 50_000_000}[pick(2, 3, 3, 1)]);
      set(Knob.PAUSES, chance(25) ? between(1, 4) : 0);
      set(Knob.STALLS, chance(25) ? between(1, 4) : 0);
      set(Knob.PARTITIONS, chance(25) ? between(1, 3) : 0);
      set(Knob.PORTS, chance(25) ? between(1, 3) : 0);
      set(Knob.DRAINS, chance(30) ? between(1, 6) : 0);
      set(Knob.BREAKS, chance(30) ? between(1, 4) : 0);
      set(Knob.CRASHES, chance(25) ? between(1, 2) : 0);
      set(Knob.RECONNECT, chance(70) ? 1 : 0);
    }

    private LinkModel link() {
      LinkModel link =
          LinkModel.PERFECT
              .withDelayNs(between(0, 20_000))
              .withJitterNs(chance(50) ? between(0, 5_000) : 0);
      if (chance(30)) {
        link =
            link.withBandwidth(new long[] {1, 10, 25, 100}[pick(1, 3, 2, 2)] * 1_000_000_000L)
                .withQueueBytes(chance(50) ? (int) between(20_000, 500_000) : 0);
      }
      if (chance(10)) {
        return link;
      }
      if (chance(60)) {
        link = link.withLoss(between(1, 100) / 1000.0);
      }
      if (chance(30)) {
        link =
            link.withBurst(
                between(1, 10) / 1000.0, between(5, 50) / 100.0, between(50, 100) / 100.0);
      }
      if (chance(40)) {
        link = link.withDuplicate(between(1, 100) / 1000.0);
      }
      if (chance(40)) {
        link = link.withReorder(between(1, 100) / 1000.0, between(1_000, 200_000));
      }
      if (chance(30)) {
        link = link.withCorrupt(between(1, 50) / 1000.0, (int) between(1, 3));
      }
      return link;
    }

    private void set(Knob knob, long value) {
      values[knob.ordinal()] = value;
    }

    private long between(long least, long most) {
      return random.nextLong(least, most + 1);
    }

    private boolean chance(int percent) {
      return random.nextInt(100) < percent;
    }

    /** A random index whose probabilities are proportional to {@code weights}. */
    private int pick(int... weights) {
      int left = random.nextInt(Arrays.stream(weights).sum());
      int index = 0;
      while (left >= weights[index]) {
        left -= weights[index++];
      }
      return index;
    }
  }
}
