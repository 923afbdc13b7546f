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
 * A fault of a datagram: a kind, its amount and its details.
 *
 * @param amount what {@link Kind} says; 0 where it says nothing
 * @param details values of {@link Kind#details}, in that order; probabilities from 0 to 1
 */
public record FaultAction(Kind kind, long amount, List<Double> details) {
  /** Longest delay: ten seconds. */
  public static final long MAX_DELAY_NS = 10_000_000_000L;

  /** A terabit per second. */
  public static final long MAX_RATE = 1_000_000_000_000L;

  /** Largest queue in front of a rate: one GiB. */
  public static final int MAX_QUEUE_BYTES = 1 << 30;

  /** Bits that {@link Kind#CORRUPT} flips at most. */
  public static final int MAX_CORRUPT_BITS = 32;

  /** What an action may say beside its amount. */
  public enum Detail {
    /** Nanoseconds that are added, drawn anew each time from 0 to this. */
    JITTER(Quantity.TIME, 0, 0, MAX_DELAY_NS),
    /** Nanoseconds after which it goes on, overtaken or not. */
    WITHIN(Quantity.TIME, 10_000_000, 1, MAX_DELAY_NS),
    /** Bytes of IP packets that may wait; 0: unlimited. */
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

    /** As it is written in a plan. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** What its value counts; null: it is a probability. */
    public Quantity quantity() {
      return quantity;
    }

    /** The value when none is given, as it is written in a plan. */
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

  /** What happens to the datagram that a rule has chosen. {@code n} is the amount of the action. */
  public enum Kind {
    /** It waits until what was sent before has left, at n bits per second. */
    RATE(Quantity.RATE, 1_000_000_000, 1, MAX_RATE, Detail.QUEUE),
    /** It begins a burst in which datagrams are lost; no other burst begins before that ends. */
    BURST(null, 0, 0, 0, Detail.LEAVE, Detail.LOSS),
    /** It is lost. */
    DROP(null, 0, 0, 0),
    /** It is lost, and so are those that the rule chooses in the next n ns; 0: for ever. */
    BLACKHOLE(Quantity.TIME, 0, 0, Long.MAX_VALUE),
    /** It arrives n ns later, and never before one that was sent earlier. */
    LATENCY(Quantity.TIME, 0, 0, MAX_DELAY_NS, Detail.JITTER),
    /** It arrives n ns later; others overtake it. */
    DELAY(Quantity.TIME, 1_000_000, 1, MAX_DELAY_NS, Detail.JITTER),
    /** The next n datagrams of its direction overtake it, unless they come too late. */
    REORDER(Quantity.COUNT, 1, 1, 100_000, Detail.WITHIN),
    /** It arrives n more times. */
    DUPLICATE(Quantity.COUNT, 1, 1, 1000, Detail.JITTER),
    /**
     * 1 to n of its bits are flipped. The ICRC does not cover the BTH byte of FECN and BECN, which
     * a network may change.
     */
    CORRUPT(Quantity.COUNT, 3, 1, MAX_CORRUPT_BITS),
    /** n bytes of BTH and extended headers are changed, and the ICRC does not match. */
    CORRUPT_HEADER(Quantity.COUNT, 1, 1, 100),
    /** n bytes behind the headers are changed, and the ICRC does not match. */
    CORRUPT_PAYLOAD(Quantity.COUNT, 1, 1, 1000),
    /** Its ICRC is wrong. */
    CORRUPT_ICRC(null, 0, 0, 0),
    /** n bytes before the ICRC are missing; a port that sends it computes the ICRC anew. */
    TRUNCATE(Quantity.COUNT, 4, 1, 65_536),
    /** A router says that it met congestion: ECN becomes CE (3). */
    MARK_ECN(null, 0, 0, 0),
    /** In front of it travels an ACK that nobody has sent, of the PSN that is n further. */
    FORGE_ACK(Quantity.COUNT, 0, 0, 0x7F_FFFF),
    /** In front of it travels a NAK of code n, of its PSN. */
    FORGE_NAK(Quantity.COUNT, 0, 0, 4),
    /** In front of it travels an RNR NAK with timer code n, of its PSN. */
    FORGE_RNR(Quantity.COUNT, 14, 0, 31),
    /** In front of it travels a CNP. */
    FORGE_CNP(null, 0, 0, 0),
    /** The cable is out: all datagrams are lost, both ways, in the next n ns; 0: for ever. */
    PORT_DOWN(Quantity.TIME, 0, 0, Long.MAX_VALUE);

    /** Null: there is no amount. */
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

    /** As it is written in a plan. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The amount when none is given. */
    public long usual() {
      return usual;
    }

    /** What may be said beside the amount. */
    public List<Detail> details() {
      return details;
    }

    /** What the amount counts; null: there is none. */
    public Quantity quantity() {
      return quantity;
    }

    boolean hasAmount() {
      return quantity != null;
    }

    /** Whether each copy is damaged, or spared, on its own. */
    boolean damages() {
      return switch (this) {
        case CORRUPT, CORRUPT_HEADER, CORRUPT_PAYLOAD, CORRUPT_ICRC -> true;
        default -> false;
      };
    }

    /** Whether it makes a packet that nobody has sent. */
    boolean forges() {
      return switch (this) {
        case FORGE_ACK, FORGE_NAK, FORGE_RNR, FORGE_CNP -> true;
        default -> false;
      };
    }

    long read(String text) {
      return quantity.read(text, least, most);
    }

    /** The kind that is written so, or null; a loss with a probability is a drop. */
    static Kind named(String name) {
      String text = name.equals("loss") ? DROP.text() : name;
      return Stream.of(values()).filter(kind -> kind.text().equals(text)).findAny().orElse(null);
    }

    static String names() {
      return Stream.of(values()).map(Kind::text).collect(Collectors.joining(" "));
    }
  }

  /** The datagram is lost. */
  public static final FaultAction DROP = of(Kind.DROP);

  /** The datagram arrives twice. */
  public static final FaultAction DUPLICATE = of(Kind.DUPLICATE);

  /** One byte behind the headers is changed; the ICRC finds it. */
  public static final FaultAction CORRUPT_PAYLOAD = of(Kind.CORRUPT_PAYLOAD);

  /** The ICRC is wrong and all else right. */
  public static final FaultAction CORRUPT_ICRC = of(Kind.CORRUPT_ICRC);

  /** A router says that it met congestion. */
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

  /** With the usual details. */
  public FaultAction(Kind kind, long amount) {
    this(kind, amount, kind.details.stream().map(detail -> detail.usual).toList());
  }

  /** With the usual amount and details. */
  public static FaultAction of(Kind kind) {
    return new FaultAction(kind, kind.usual);
  }

  /** With these details, in the order of {@link Kind#details}. */
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

  /** What happens to the datagram, as half a sentence. */
  public String explain() {
    return Sentence.happens(this);
  }

  /** The same with another value of one detail. */
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
