package org.roce4j.port.fault;

import java.util.StringJoiner;
import org.roce4j.options.Quantity;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Opcode;

/** Explains a rule in a sentence. */
final class Sentence {
  private Sentence() {}

  static String of(FaultRule rule) {
    return Wording.of(
        "Of %s, %s: %s.", kind(rule.matcher()), rule.choice().explain(), happens(rule.action()));
  }

  private static String kind(FaultMatcher matcher) {
    StringJoiner words = new StringJoiner(" ");
    words.add(matcher.equals(FaultMatcher.ALL) ? "all datagrams" : "the datagrams");
    if (matcher.service() != null) {
      words.add("of service " + matcher.service());
    }
    if (matcher.opcode() != FaultMatcher.ANY) {
      Opcode known = Opcode.of(matcher.opcode());
      words.add("with opcode " + (known == null ? Wording.of("0x%02x", matcher.opcode()) : known));
    }
    if (matcher.psn() != FaultMatcher.ANY) {
      words.add("with PSN " + matcher.psn());
    }
    if (matcher.direction() != null) {
      words.add(
          "that this end " + (matcher.direction() == FaultDirection.OUT ? "sends" : "receives"));
    }
    if (matcher.destQp() != FaultMatcher.ANY) {
      words.add(Wording.of("to queue pair 0x%06x", matcher.destQp()));
    }
    if (matcher.state() != null) {
      words.add(
          matcher.state() == PacketState.NEW
              ? "with a PSN beyond those before"
              : "whose PSN went there before");
    }
    return words.toString();
  }

  private static String time(double ns) {
    return Quantity.TIME.print((long) ns);
  }

  private static String upTo(double jitterNs) {
    return jitterNs == 0 ? "" : ", and up to " + time(jitterNs) + " more";
  }

  private static String count(long n, String thing) {
    return n + " " + thing + (n == 1 ? "" : "s");
  }

  /** The effect of an action on the chosen datagram, as a predicate. */
  static String happens(FaultAction action) {
    long n = action.amount();
    return switch (action.kind()) {
      case RATE ->
          Wording.of(
              "it waits until what was sent before has left at %s bit/s%s",
              Quantity.RATE.print(n),
              action.detail(0) == 0
                  ? ""
                  : "; a queue of "
                      + Quantity.SIZE.print((long) action.detail(0))
                      + " that is full loses it");
      case BURST ->
          Wording.of(
              "it begins a burst in which %s are lost; each further one ends it with a probability"
                  + " of %s",
              FaultChoice.percent(action.detail(1)), FaultChoice.percent(action.detail(0)));
      case DROP -> "it is lost";
      case BLACKHOLE ->
          "it is lost, and so are all that the rule is meant for "
              + (n == 0 ? "from then on" : "within " + time(n));
      case LATENCY ->
          Wording.of(
              "it arrives %s later%s, never before one that was sent earlier",
              time(n), upTo(action.detail(0)));
      case DELAY ->
          Wording.of("it arrives %s later%s; others overtake it", time(n), upTo(action.detail(0)));
      case REORDER ->
          Wording.of(
              "the next %s it, or %s pass",
              n == 1 ? "datagram overtakes" : n + " datagrams overtake", time(action.detail(0)));
      case DUPLICATE ->
          action.detail(0) == 0
              ? (n == 1 ? "a copy arrives" : n + " copies arrive") + " before it"
              : Wording.of(
                  "%s before it and %s up to %s late",
                  n == 1 ? "a copy leaves" : n + " copies leave",
                  n == 1 ? "arrives" : "arrive, each",
                  time(action.detail(0)));
      case CORRUPT ->
          n == 1 ? "1 bit flips, anywhere" : Wording.of("1 to %d bits flip, anywhere", n);
      case CORRUPT_HEADER ->
          Wording.of("%s of BTH and extended headers; the ICRC is wrong", changed(n));
      case CORRUPT_PAYLOAD -> Wording.of("%s behind the headers; the ICRC is wrong", changed(n));
      case CORRUPT_ICRC -> "the ICRC is wrong";
      case TRUNCATE ->
          Wording.of(
              "%s before the ICRC %s missing; the port that sends it computes the ICRC anew",
              count(n, "byte"), n == 1 ? "is" : "are");
      case MARK_ECN -> "a router says that it met congestion: ECN becomes CE";
      case FORGE_ACK ->
          "an ACK that nobody has sent travels in front of it, of "
              + (n == 0 ? "its PSN" : "the PSN that is " + n + " further");
      case FORGE_NAK ->
          Wording.of("a NAK of code %d that nobody has sent travels in front of it, of its PSN", n);
      case FORGE_RNR ->
          Wording.of(
              "an RNR NAK of timer code %d that nobody has sent travels in front of it, of its PSN",
              n);
      case FORGE_CNP -> "a CNP that nobody has sent travels in front of it";
      case PORT_DOWN ->
          "the cable is out: it is lost, and so is everything both ways "
              + (n == 0 ? "from then on" : "within " + time(n));
    };
  }

  private static String changed(long bytes) {
    return count(bytes, "byte") + (bytes == 1 ? " changes" : " change");
  }
}
