package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;

/**
 * The fault that a rule applies: a kind, its amount and its details.
 *
 * @param amount {@code n} in the comments of {@link Kind}; 0 for a kind without amount
 * @param details values of {@link Kind#details}, in their order; probabilities are 0 to 1
 */
public record FaultAction(Kind kind, long amount, List<Double> details) {
  /** The longest delay, in nanoseconds: ten seconds. */
  public static final long MAX_DELAY_NS = 10_000_000_000L;

  /** The greatest rate, in bits per second. */
  public static final long MAX_RATE = 1_000_000_000_000L;

  /** The largest queue of a rate, in bytes. */
  public static final int MAX_QUEUE_BYTES = 1 << 30;

  /** The greatest number of bits that {@link Kind#CORRUPT} flips. */
  public static final int MAX_CORRUPT_BITS = 32;

  /** Details that an action may have beside its amount. */
  public enum Detail {
    /** An additional delay, drawn for each datagram from 0 to this many nanoseconds. */
    JITTER(Quantity.TIME, 0, 0, MAX_DELAY_NS),
    /** Nanoseconds after which the datagram goes on even if it was not overtaken. */
    WITHIN(Quantity.TIME, 10_000_000, 1, MAX_DELAY_NS),
    /** Bytes of IP packets that may wait in the queue; 0: no limit. */
    QUEUE(Quantity.SIZE, 0, 0, MAX_QUEUE_BYTES),
    /** Probability that the next datagram ends the burst. */
    LEAVE(null, 0.25, 0, 1),
    /** Probability of loss within a burst. */
    LOSS(null, 1, 0, 1);

    private static final int PERCENT = 100;

    /** Null: a probability. */
    private final Quantity quantity;

    private final double usual;
    private final long least;
    private final long most;

    Detail(Quantity quantity, double usual, long least, long most) {
      this.quantity = quantity;
      this.usual = usual;
      this.least = least;
      this.most = most;
    }

    /** Its name in a plan. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
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

    /** Its default, as written in a plan. */
    public String usual() {
      return quantity == null ? Math.round(usual * PERCENT) + "%" : quantity.print((long) usual);
    }

    double read(String text) {
      return quantity == null ? Quantity.probability(text) : quantity.read(text, least, most);
    }

    private void require(double value) {
      if (quantity == null) {
        Quantity.requireProbability(text(), value);
      } else {
        Quantity.requireRange(text(), (long) value, least, most);
      }
    }

    private String print(double value) {
      return " " + text() + "=" + (quantity == null ? value : quantity.print((long) value));
    }
  }

  /**
   * The kinds of faults. "It" is the datagram that the rule has chosen, {@code n} the amount of the
   * action.
   */
  public enum Kind {
    /** It waits until the datagrams before it have left at n bits per second. */
    RATE(Quantity.RATE, 1_000_000_000, 1, MAX_RATE, Detail.QUEUE),
    /**
     * It begins a burst in which datagrams are lost. Another burst begins only after this one has
     * ended.
     */
    BURST(null, 0, 0, 0, Detail.LEAVE, Detail.LOSS),
    /** It is lost. */
    DROP(null, 0, 0, 0),
    /**
     * It is lost, and with it every datagram that the rule matches in the next n ns; 0: without
     * end.
     */
    BLACKHOLE(Quantity.TIME, 0, 0, Long.MAX_VALUE),
    /** It arrives n ns later, in the order of sending. */
    LATENCY(Quantity.TIME, 0, 0, MAX_DELAY_NS, Detail.JITTER),
    /** It arrives n ns later; others overtake it. */
    DELAY(Quantity.TIME, 1_000_000, 1, MAX_DELAY_NS, Detail.JITTER),
    /**
     * The next n datagrams of its direction overtake it, if they are sent within {@link
     * Detail#WITHIN}.
     */
    REORDER(Quantity.COUNT, 1, 1, 100_000, Detail.WITHIN),
    /** It arrives n more times. */
    DUPLICATE(Quantity.COUNT, 1, 1, 1000, Detail.JITTER),
    /**
     * 1 to n of its bits are flipped. The ICRC does not detect a change of the byte with FECN and
     * BECN, because it does not cover that byte.
     */
    CORRUPT(Quantity.COUNT, 3, 1, MAX_CORRUPT_BITS),
    /** n bytes of BTH and extended headers are changed, and the ICRC does not match. */
    CORRUPT_HEADER(Quantity.COUNT, 1, 1, 100),
    /** n bytes after the headers are changed, and the ICRC does not match. */
    CORRUPT_PAYLOAD(Quantity.COUNT, 1, 1, 1000),
    /** Its ICRC is wrong. */
    CORRUPT_ICRC(null, 0, 0, 0),
    /** n bytes before the ICRC are cut off. A port that sends it computes the ICRC of the rest. */
    TRUNCATE(Quantity.COUNT, 4, 1, 65_536),
    /** Congestion is marked, as by a router: ECN becomes CE (3). */
    MARK_ECN(null, 0, 0, 0),
    /** A forged ACK precedes it, whose PSN is n greater than its own. */
    FORGE_ACK(Quantity.COUNT, 0, 0, 0x7F_FFFF),
    /** A forged NAK of code n and its PSN precedes it. */
    FORGE_NAK(Quantity.COUNT, 0, 0, 4),
    /** A forged RNR NAK with timer code n and its PSN precedes it. */
    FORGE_RNR(Quantity.COUNT, 14, 0, 31),
    /** A forged CNP precedes it. */
    FORGE_CNP(null, 0, 0, 0),
    /**
     * It and all datagrams of both directions in the next n ns are lost, as if the cable were out;
     * 0: without end.
     */
    PORT_DOWN(Quantity.TIME, 0, 0, Long.MAX_VALUE);

    /** Null: the kind has no amount. */
    private final Quantity quantity;

    private final long usual;
    private final long least;
    private final long most;
    private final List<Detail> details;

    Kind(Quantity quantity, long usual, long least, long most, Detail... details) {
      this.quantity = quantity;
      this.usual = usual;
      this.least = least;
      this.most = most;
      this.details = List.of(details);
    }

    /** Its name in a plan. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The default of the amount. */
    public long usual() {
      return usual;
    }

    /** The details that an action of this kind has. */
    public List<Detail> details() {
      return details;
    }

    /** The unit of the amount; null: the kind has no amount. */
    public Quantity quantity() {
      return quantity;
    }

    /** The least amount. */
    public long least() {
      return least;
    }

    /** The greatest amount. */
    public long most() {
      return most;
    }

    boolean hasAmount() {
      return quantity != null;
    }

    long read(String text) {
      return quantity.read(text, least, most);
    }

    /** The kind of this name, or null. {@code loss}, which needs a probability, is a drop. */
    public static Kind named(String name) {
      String text = name.equals("loss") ? DROP.text() : name;
      return Stream.of(values()).filter(kind -> kind.text().equals(text)).findAny().orElse(null);
    }

    /** The kinds as they are written in a plan. */
    public static String names() {
      return Stream.of(values()).map(Kind::text).collect(Collectors.joining(" "));
    }
  }

  /** The datagram is lost. */
  public static final FaultAction DROP = of(Kind.DROP);

  /** The datagram arrives twice. */
  public static final FaultAction DUPLICATE = of(Kind.DUPLICATE);

  /** One byte after the headers is changed; the ICRC detects it. */
  public static final FaultAction CORRUPT_PAYLOAD = of(Kind.CORRUPT_PAYLOAD);

  /** Only the ICRC is wrong. */
  public static final FaultAction CORRUPT_ICRC = of(Kind.CORRUPT_ICRC);

  /** Congestion is marked. */
  public static final FaultAction MARK_ECN = of(Kind.MARK_ECN);

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for a value out of its range
   */
  public FaultAction {
    Quantity.requireRange(kind.text(), amount, kind.least, kind.most);
    if (details.size() != kind.details.size()) {
      throw Quantity.refuse("%s has the details %s", kind.text(), kind.details);
    }
    for (int i = 0; i < details.size(); i++) {
      kind.details.get(i).require(details.get(i));
    }
    details = List.copyOf(details);
  }

  /** An action with the default details. */
  public FaultAction(Kind kind, long amount) {
    this(kind, amount, kind.details.stream().map(detail -> detail.usual).toList());
  }

  /** An action with the default amount and details. */
  public static FaultAction of(Kind kind) {
    return new FaultAction(kind, kind.usual);
  }

  /** An action with details in the order of {@link Kind#details}. */
  public static FaultAction of(Kind kind, long amount, double... details) {
    return new FaultAction(kind, amount, DoubleStream.of(details).boxed().toList());
  }

  /** Held back for {@code ns} nanoseconds, up to ten seconds; others overtake it. */
  public static FaultAction delay(long ns) {
    return new FaultAction(Kind.DELAY, ns);
  }

  /**
   * The next {@code overtakenBy} datagrams overtake it, 1..100,000, unless they take longer than 10
   * ms.
   */
  public static FaultAction reorder(long overtakenBy) {
    return new FaultAction(Kind.REORDER, overtakenBy);
  }

  /** {@code bytes} bytes before the ICRC are missing. */
  public static FaultAction truncate(int bytes) {
    return new FaultAction(Kind.TRUNCATE, bytes);
  }

  /** The fault in words, as the predicate of a sentence. */
  public String explain() {
    return Sentence.happens(this);
  }

  /** This action with another value of one detail. */
  FaultAction with(Detail detail, double value) {
    List<Double> changed = new ArrayList<>(details);
    changed.set(kind.details.indexOf(detail), value);
    return new FaultAction(kind, amount, changed);
  }

  double detail(int index) {
    return details.get(index);
  }

  @Override
  public String toString() {
    String head = amount == kind.usual ? "" : "=" + kind.quantity.print(amount);
    return kind.text()
        + head
        + IntStream.range(0, details.size())
            .filter(i -> details.get(i) != kind.details.get(i).usual)
            .mapToObj(i -> kind.details.get(i).print(details.get(i)))
            .collect(Collectors.joining());
  }
}
