package org.roce4j.conformance.error;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.RowSkipped;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/**
 * A queue pair of the far station that does not accept packets to its number.
 *
 * @param id name among the peers of its kind
 * @param words the reason, for the document
 * @param service service of the queue pair
 * @param state the queue pair's state, now and afterwards
 * @param existence whether the queue pair exists, existed, or never did
 * @param elsewhere whether its peer has another address than the near station
 */
record DeafPeer(
    String id,
    String words,
    QpType service,
    QpState state,
    Existence existence,
    boolean elsewhere) {
  private enum Existence {
    LIVES,
    DESTROYED,
    NEVER_WAS
  }

  /**
   * The deaf queue pair, ready.
   *
   * @param qpNum the number to send to
   * @param unharmed checks that the queue pair has not changed
   */
  record Met(int qpNum, Runnable unharmed) {}

  /** Takes the case of a kind of deaf peers. */
  interface Unheard {
    /**
     * @param counter counter of the packets at the peers' device
     */
    void add(String id, String cause, List<DeafPeer> peers, String counter);
  }

  /** Adds the case of each kind of deaf peers of a service. */
  static void each(QpType service, Unheard cases) {
    cases.add("NO_QP", "No queue pair has the number", nobody(service), "unknown_qp");
    cases.add(
        "PEER_STATE",
        "The peer's queue pair is not in RTR, RTS, SQD or SQE",
        inWrongState(service),
        "wrong_state");
    cases.add(
        "PEER_SERVICE", "The peer's queue pair is of", ofOtherService(service), "wrong_service");
    if (service != QpType.UD) {
      cases.add(
          "PEER_ADDRESS",
          "The peer expects another address than the packets come from",
          ofAnotherAddress(service),
          "wrong_address");
    }
  }

  /** Numbers that no queue pair has. */
  private static List<DeafPeer> nobody(QpType service) {
    return List.of(
        new DeafPeer(
            "UNUSED", "none ever had it", service, QpState.RTS, Existence.NEVER_WAS, false),
        new DeafPeer(
            "DESTROYED", "it was destroyed", service, QpState.RTS, Existence.DESTROYED, false));
  }

  /** States in which a queue pair receives nothing. */
  private static List<DeafPeer> inWrongState(QpType service) {
    return Stream.of(QpState.RESET, QpState.INIT, QpState.ERR)
        .map(
            state ->
                new DeafPeer(state.name(), "in " + state, service, state, Existence.LIVES, false))
        .toList();
  }

  /** Queue pairs of other services. */
  private static List<DeafPeer> ofOtherService(QpType service) {
    return Stream.of(QpType.RC, QpType.UC, QpType.UD)
        .filter(other -> other != service)
        .map(
            other ->
                new DeafPeer(
                    other.name(), other.name(), other, QpState.RTS, Existence.LIVES, false))
        .toList();
  }

  /** A queue pair that is connected to another address. */
  private static List<DeafPeer> ofAnotherAddress(QpType service) {
    return List.of(new DeafPeer("", "", service, QpState.RTS, Existence.LIVES, true));
  }

  /** The ways to an error, one for each peer. */
  static List<ErrorCase.Way> ways(
      List<DeafPeer> all, BiFunction<Bench, DeafPeer, ErrorCase.Scene> provocation) {
    return all.stream()
        .map(
            peer -> new ErrorCase.Way(peer.id, peer.words, bench -> provocation.apply(bench, peer)))
        .toList();
  }

  /**
   * The ways to an error, one for each peer: a queue pair that is connected to the peer sends a
   * message.
   *
   * @param sender service of the sending queue pair, RC or UC
   * @param values its attributes
   */
  static List<ErrorCase.Way> connected(List<DeafPeer> all, QpType sender, Supplier<QpAttr> values) {
    return ways(all, (bench, peer) -> peer.send(bench, sender, values.get()));
  }

  private ErrorCase.Scene send(Bench bench, QpType type, QpAttr values) {
    Station near = bench.near();
    QueuePair sender = near.qp(type);
    Met met = meet(bench, sender);
    bench.bring(
        near, sender, QpState.RTS, values.ahAttr(near.pathTo(bench.far())).destQpNum(met.qpNum()));
    Expect.posts(sender, Cases.send(bench, Cases.BYTES));
    return new ErrorCase.Scene(sender, null, met.unharmed());
  }

  /** Creates the queue pair and connects it to the sender as far as its state allows. */
  Met meet(Bench bench, QueuePair sender) {
    Station far = bench.far();
    if (elsewhere && far.address().equals(bench.near().address())) {
      throw new RowSkipped("both ends have the same address here");
    }
    QueuePair qp = far.qp(service);
    bench.bring(
        far,
        qp,
        state,
        Bench.attributes()
            .ahAttr(far.pathTo(elsewhere ? far : bench.near()))
            .destQpNum(sender.qpNum()));
    if (state == QpState.RTS) {
      Cases.receives(bench, qp);
    }
    int number = qp.qpNum();
    return switch (existence) {
      case LIVES -> new Met(number, () -> Expect.equal("the responder's state", state, qp.state()));
      case DESTROYED -> {
        qp.close();
        yield new Met(number, () -> {});
      }
      case NEVER_WAS -> new Met(number ^ 0x800, () -> {});
    };
  }
}
