package org.roce4j.port.fault;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;

/**
 * What befalls a datagram.
 *
 * @param amount what {@link Kind} says; 0 where it says nothing
 */
public record FaultAction(Kind kind, long amount) {
  /** Longest delay: ten seconds. */
  public static final long MAX_DELAY_NS = 10_000_000_000L;

  /** The kinds, and what their amount means. */
  public enum Kind {
    /** It vanishes. */
    DROP("drop", "loss", 0, 0, 0),
    /** It arrives so many times more. */
    DUPLICATE("duplicate", 1, 1, 1000),
    /** It arrives so many nanoseconds later; others overtake it. */
    DELAY("delay", 1_000_000, 1, MAX_DELAY_NS),
    /** So many of the same direction overtake it, unless they are too long in coming. */
    REORDER("reorder", 1, 1, 100_000),
    /** So many bytes behind the BTH are changed, and the ICRC does not fit them. */
    CORRUPT_PAYLOAD("corrupt-payload", "corrupt", 1, 1, 1000),
    /** Its ICRC is wrong. */
    CORRUPT_ICRC("corrupt-icrc", 0, 0, 0),
    /** So many bytes before the ICRC are missing; what is sent is sealed as it is then. */
    TRUNCATE("truncate", 4, 1, 65_536),
    /** A router says that it met congestion: ECN becomes CE (3). */
    MARK_ECN("mark-ecn", 0, 0, 0);

    private final String text;
    private final String chance;
    private final long usual;
    private final long least;
    private final long most;

    Kind(String text, long usual, long least, long most) {
      this(text, text, usual, least, most);
    }

    Kind(String text, String chance, long usual, long least, long most) {
      this.text = text;
      this.chance = chance;
      this.usual = usual;
      this.least = least;
      this.most = most;
    }

    /** As it is written in a plan. */
    public String text() {
      return text;
    }

    /** The amount when none is given; 0: it has none. */
    public long usual() {
      return usual;
    }

    Quantity quantity() {
      return this == DELAY ? Quantity.TIME : Quantity.COUNT;
    }

    /** The kind that is written so, or null; with a probability, links have names of their own. */
    static Kind named(String name) {
      return Stream.of(values())
          .filter(kind -> kind.text.equals(name) || kind.chance.equals(name))
          .findAny()
          .orElse(null);
    }

    static String names() {
      return Stream.of(values()).map(Kind::text).collect(Collectors.joining(" "));
    }
  }

  public static final FaultAction DROP = of(Kind.DROP);
  public static final FaultAction DUPLICATE = of(Kind.DUPLICATE);
  public static final FaultAction CORRUPT_PAYLOAD = of(Kind.CORRUPT_PAYLOAD);
  public static final FaultAction CORRUPT_ICRC = of(Kind.CORRUPT_ICRC);
  public static final FaultAction MARK_ECN = of(Kind.MARK_ECN);

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for an amount out of its range
   */
  public FaultAction {
    Quantity.requireRange(kind.text, amount, kind.least, kind.most);
  }

  /** With the usual amount. */
  public static FaultAction of(Kind kind) {
    return new FaultAction(kind, kind.usual);
  }

  public static FaultAction delay(long ns) {
    return new FaultAction(Kind.DELAY, ns);
  }

  public static FaultAction reorder(long overtakenBy) {
    return new FaultAction(Kind.REORDER, overtakenBy);
  }

  public static FaultAction truncate(int bytes) {
    return new FaultAction(Kind.TRUNCATE, bytes);
  }

  @Override
  public String toString() {
    if (amount == kind.usual) {
      return kind.text;
    }
    return kind.text + "=" + kind.quantity().print(amount);
  }
}
