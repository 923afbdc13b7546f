package org.roce4j.conformance.remote;

import static java.util.stream.Collectors.toMap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.dialogue.ConnectedPackets;
import org.roce4j.conformance.dialogue.DatagramPackets;
import org.roce4j.conformance.dialogue.Dialogue;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Transport;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.RocePacket;

/**
 * A dialogue under way with one subject: the packets of both sides, and the calls to the subject.
 * The methods of this class, {@link TalkMemory} and {@link Dialogue} are the statements of a {@link
 * Script}. Each queue pair of the device has a talk; the first talk creates the others.
 */
public final class Talk {
  /** An address at our end, for requests of the subject. */
  public static final long VA = 0x10000;

  /** Number of a shared receive queue at our end. */
  public static final int SRQ = 0x5a5a5;

  /** A remote key at our end. */
  public static final int RKEY = 0x4d2;

  /** Most queue pairs of a dialogue. */
  static final int MOST_QPS = 8;

  /** The packets said and heard. */
  public final Dialogue d;

  /** The queue pair that the talk is with. */
  public final Subject subject;

  /** The packets that we send. */
  public final ConnectedPackets peer;

  /** The packets that the device is expected to send. */
  public final ConnectedPackets here;

  /** The packets that we send to a datagram queue pair. */
  public final DatagramPackets datagrams;

  /** The packets that a datagram queue pair of the device is expected to send. */
  public final DatagramPackets datagramsHere;

  /** The statements about the subject's memory. */
  final TalkMemory memory;

  /** The numbers that statements may name. */
  final Numbers numbers;

  private final SubjectSetup setup;
  private final int qpn;

  /** The other queue pairs by name; shared by all talks of the dialogue. */
  private final Map<String, Talk> others;

  private Subject.Completed last;

  /** A completion that {@link #notSentBefore} found in time; {@link #sent} judges it. */
  private Subject.Completed early;

  /**
   * Begins a dialogue.
   *
   * @param qpn number of our queue pair, which the subject is connected to
   */
  public Talk(Dialogue dialogue, Subject subject, SubjectSetup setup, int qpn) {
    this(dialogue, subject, setup, qpn, null);
  }

  private Talk(Dialogue dialogue, Subject subject, SubjectSetup setup, int qpn, Talk first) {
    d = dialogue;
    this.subject = subject;
    this.setup = setup;
    this.qpn = qpn;
    others = first == null ? new HashMap<>() : first.others;
    numbers = first == null ? new Numbers(this) : first.numbers.of(this);
    memory = new TalkMemory(subject);
    Transport transport =
        switch (setup.get(Attribute.QP_TYPE)) {
          case 3 -> Transport.UC;
          case 9, 10 -> Transport.XRC;
          default -> Transport.RC;
        };
    int there = setup.get(Attribute.RQ_PSN);
    int own = setup.get(Attribute.SQ_PSN);
    int qkey = setup.get(Attribute.QKEY);
    int number = subject.qpNum();
    int srqn = transport == Transport.XRC ? subject.srqNum() : 0;
    peer = new ConnectedPackets(transport, number, there, own, srqn);
    here = new ConnectedPackets(transport, qpn, own, there, SRQ);
    datagrams = new DatagramPackets(number, qpn, qkey, there);
    datagramsHere = new DatagramPackets(qpn, number, qkey, own);
  }

  /** The talk with the queue pair of this name, or null. */
  Talk other(String name) {
    return others.get(name);
  }

  /** Creates another queue pair that is connected to the same address as the first. */
  public void second(String name, String... setup) {
    secondAt(Subject.PEER, name, setup);
  }

  /**
   * Creates another queue pair that is connected to an address of our end.
   *
   * @param setup words of {@link SubjectSetup#reading} that change the first queue pair's setup
   */
  public void secondAt(String address, String name, String... setup) {
    int number = qpn + 1 + others.size();
    check(number < qpn + MOST_QPS, "more than " + MOST_QPS + " queue pairs");
    SubjectSetup changed = this.setup.with(Attribute.DEST_QPN, number);
    for (String word : setup) {
      changed = changed.reading(word);
    }
    subject.second(name, address, changed.toString().split(" "));
    others.put(name, new Talk(d, subject.with(name), changed, number, this));
  }

  /** Names a number. */
  public void lets(String name, long value) {
    numbers.let(name, value);
  }

  // ---- the subject's requests

  /** Posts send requests; numbers may be expressions. */
  public void posts(String... words) {
    int errno = subject.postSend(numbers.resolved(words));
    check(errno == 0, "post_send gave errno " + errno);
  }

  /** Posting is refused with {@code errno}. */
  public void refuses(int errno, String... words) {
    int found = subject.postSend(numbers.resolved(words));
    check(found == errno, "post_send gave errno " + found + ", not " + errno);
  }

  /** Posts a SEND of the first bytes of the pattern. */
  public void postsSend(long wrId, int bytes) {
    posts(Wording.of("wrId %d opcode SEND", wrId), "pattern", bytes);
  }

  /** Destroys the shared receive queue. */
  public void destroysSrq() {
    subject.destroySrq();
  }

  /** Creates one more XRC shared receive queue, in the first one's XRC domain or in a new one. */
  public void another(String name, boolean sameDomain) {
    numbers.let(name, subject.anotherSrq(sameDomain));
  }

  /** Posts a WRITE of the first bytes of the pattern to our memory. */
  public void postsWrite(long wrId, int bytes) {
    posts(remote(wrId, "RDMA_WRITE"), "pattern", bytes);
  }

  /** Posts a READ of our memory into the empty half. */
  public void postsRead(long wrId, int bytes) {
    posts(remote(wrId, "RDMA_READ"), "va", bytes);
  }

  /** Posts a FETCH_ADD to our memory; the result goes to the empty half. */
  public void postsFetchAdd(long wrId, long add) {
    String atomic = "wrId %d opcode ATOMIC_FETCH_AND_ADD atomic VA RKEY %d 0";
    posts(Wording.of(atomic, wrId, add), "va", Long.BYTES);
  }

  /** Posts an ATOMIC_WRITE of the first eight bytes of the pattern. */
  public void postsAtomicWrite(long wrId) {
    posts(remote(wrId, "ATOMIC_WRITE"), "pattern", Long.BYTES);
  }

  /** Posts a FLUSH at VA and RKEY; {@code flags} are SendFlags. */
  public void postsFlush(long wrId, int flags, int placement, int selectivity, long length) {
    int rkey = (int) numbers.number("RKEY");
    long va = numbers.number("VA");
    int errno = subject.postFlush(wrId, flags, va, rkey, length, placement, selectivity);
    check(errno == 0, "FLUSH gave errno " + errno);
  }

  private static String remote(long wrId, String opcode) {
    return Wording.of("wrId %d opcode %s remote VA RKEY", wrId, opcode);
  }

  private void posts(String request, String from, int bytes) {
    String to = here.transport() == Transport.XRC ? " xrc SRQ" : "";
    posts(Words.of(request + to + " sge " + from + " " + bytes + " lkey").toArray(String[]::new));
  }

  /** Posts a datagram of the first bytes of the pattern to our queue pair. */
  public void postsDatagram(long wrId, int bytes, int qkey) {
    posts(Wording.of("wrId %d opcode SEND ud peer QPN %d", wrId, qkey), "pattern", bytes);
  }

  /** Posts a receive into the empty half. */
  public void postsReceive(long wrId, int bytes) {
    postsReceive(wrId, bytes, subject.lkey());
  }

  /** Posts a receive with the local key {@code lkey}. */
  public void postsReceive(long wrId, int bytes, int lkey) {
    postsReceives("wrId", "" + wrId, "sge", "va", "" + bytes, "" + lkey);
  }

  /** Posts a receive request; numbers may be expressions. */
  public void postsReceives(String... words) {
    int errno = subject.postRecv(numbers.resolved(words));
    check(errno == 0, "post_recv gave errno " + errno);
  }

  // ---- states of the queue pair

  /** Modifies the state alone. */
  public void moves(QpState to) {
    modifies("qpState", to.name());
  }

  /** Modifies the queue pair; words are setters of {@link org.roce4j.verbs.QpAttr}. */
  public void modifies(String... words) {
    subject.modify(numbers.resolved(words));
  }

  /** Modifying is refused with an errno, such as {@code EINVAL}. */
  public void refused(String errno, String... words) {
    boolean refused = false;
    try {
      subject.modify(numbers.resolved(words));
    } catch (VerbsException e) {
      refused = true;
      check(e.errno().name().equals(errno), "refused with " + e.errno() + ", not " + errno);
    } catch (Subject.Refused e) {
      refused = true;
    }
    check(refused, "modify is not refused");
  }

  /** Takes the queue pair to a later state with the attributes of the setup. */
  public void bringsUp(QpState to) {
    subject.bringUp(to);
  }

  /** As {@link #bringsUp(QpState)}, with a path to another address of our end. */
  public void bringsUp(QpState to, String address) {
    subject.bringUp(to, address);
  }

  /** Destroys the queue pair. */
  public void destroys() {
    subject.destroy();
  }

  /** Attaches the queue pair to a multicast group, given by its address. */
  public void joins(String group) {
    subject.attachMulticast(group);
  }

  /** Detaches the queue pair from a multicast group, given by its address. */
  public void leaves(String group) {
    subject.detachMulticast(group);
  }

  /** Resizes the completion queue of receives. */
  public void resizes(int cqe) {
    subject.resize(cqe);
  }

  /** Arms the limit event of the shared receive queue. */
  public void armsLimit(int limit) {
    subject.armLimit(limit);
  }

  /** The shared receive queue's limit is {@code limit}. */
  public void tellsLimit(int limit) {
    check(subject.limit() == limit, "the limit is " + subject.limit() + ", not " + limit);
  }

  /** Arms the completion queue of receives. */
  public void arms(boolean solicitedOnly) {
    subject.arm(solicitedOnly);
  }

  /** A completion event has come and is acknowledged. */
  public void notified() {
    check(subject.notified(), "nothing was told");
  }

  /** No completion event has come. */
  public void notNotified() {
    check(!subject.notified(), "a completion event was not expected");
  }

  /** The queue pair's state is {@code state}. */
  public void isIn(QpState state) {
    QpState found = subject.state();
    check(found == state, "the queue pair is in " + found + ", not in " + state);
  }

  /** An attribute of the queue pair has this value. */
  public void tells(String attribute, String value) {
    is(attribute, subject.query(attribute), value);
  }

  /** An attribute of the queue pair has this number. */
  public void tellsNumber(String attribute, long value) {
    is(attribute, subject.query(attribute), "" + value);
  }

  /** An attribute of the port has this value. */
  public void portTells(String attribute, String value) {
    is(attribute, subject.queryPort(attribute), value);
  }

  private static void is(String what, String found, String value) {
    check(found.equals(value), Wording.of("%s is %s, not %s", what, found, value));
  }

  // ---- completions

  /** The next send completion has this wr_id and this status. */
  public void sent(long wrId, WcStatus status) {
    Subject.Completed found = early == null ? subject.sent(true) : early;
    early = null;
    is("send", found, wrId, status);
  }

  /** The next receive completion has this wr_id and this status. */
  public void received(long wrId, WcStatus status) {
    is("receive", subject.received(true), wrId, status);
  }

  /** The next receive completion has this wr_id, {@code bytes} and success. */
  public void received(long wrId, int bytes) {
    received(wrId, WcStatus.SUCCESS);
    check(last.bytes() == bytes, "received " + last.bytes() + " bytes, not " + bytes);
  }

  private void is(String what, Subject.Completed found, long wrId, WcStatus status) {
    check(found != null, "no " + what + " completion for request " + wrId);
    check(
        found.wrId() == wrId && found.status() == status,
        what + " completion " + found + ", not " + wrId + " " + status);
    last = found;
  }

  /**
   * Fields of the last completion, by their names in {@link Subject.Completed}, have these values.
   */
  public void completion(String... fields) {
    for (int i = 0; i < fields.length; i += 2) {
      List<String> getter = List.of(fields[i]);
      Object found = Words.call(last, Subject.Completed.class, getter, Words::plain);
      is(fields[i], String.valueOf(found), numbers.resolved(new String[] {fields[i + 1]})[0]);
    }
  }

  /** Exchanges acknowledged SENDs of ten bytes from PSN 0 on: the round trip is known then. */
  public void exchanges(int messages) {
    for (int i = 0; i < messages; i++) {
      postsSend(i, 10);
      d.hears(here.send(i).bytes(0, 10).ackReq());
      d.says(peer.ack(i, i + 1));
      sent(i, WcStatus.SUCCESS);
    }
  }

  /**
   * Hears the packets from PSN {@code first} on and acknowledges those that ask for it.
   *
   * @param end the PSN after the last packet
   */
  public void acknowledges(int first, int end) {
    for (int psn = first; psn < end; psn++) {
      BaseHeader bth = d.hearsSomething().bth();
      int expected = Psn.add(here.requestPsn(), psn);
      check(
          bth.destQp() == here.destQp() && bth.psn() == expected,
          "heard " + bth + " in the place of PSN " + psn);
      if (bth.ackReq()) {
        d.says(peer.ack(psn, 0));
      }
    }
  }

  /** Hears {@code QPN=N} packets in all; the last to each queue pair asks for an ACK. */
  public void hearsInAll(String... counts) {
    Map<Integer, Integer> meant = new TreeMap<>();
    for (String count : counts) {
      String[] parts = count.split("=");
      meant.put((int) numbers.number(parts[0]), Integer.valueOf(parts[1]));
    }
    Map<Integer, Integer> found = new TreeMap<>();
    Map<Integer, Boolean> asks = new TreeMap<>();
    for (RocePacket packet = d.hearsIfAny(); packet != null; packet = d.hearsIfAny()) {
      found.merge(packet.bth().destQp(), 1, Integer::sum);
      asks.put(packet.bth().destQp(), packet.bth().ackReq());
    }
    check(found.equals(meant), "packets by queue pair: " + found + ", not " + meant);
    check(!asks.containsValue(false), "the last packet asks for no ACK: " + asks);
  }

  /** Neither a packet nor a send completion comes. */
  public void nothingSent() {
    d.hearsNothing();
    notSent();
  }

  /** No send completion has come. */
  public void notSent() {
    Subject.Completed found = subject.sent(false);
    check(found == null, "unexpected send completion " + found);
  }

  /** The completion queue of sends reports an overflow. */
  public void sendsLost() {
    check(subject.sendsLost(), "the completion queue does not tell that it lost something");
  }

  /** No send completion has come before {@code ns}; one from then on is left to {@link #sent}. */
  public void notSentBefore(long ns) {
    early = subject.sent(false);
    check(early == null || d.nowNs() >= ns, "the completion " + early + " comes too early");
  }

  /** Neither a packet nor a receive completion comes. */
  public void nothingReceived() {
    d.hearsNothing();
    notReceived();
  }

  /** No receive completion has come. */
  public void notReceived() {
    Subject.Completed found = subject.received(false);
    check(found == null, "unexpected receive completion " + found);
  }

  // ---- the device

  /** The next asynchronous event; checked with roce4j's devices only, as others raise none. */
  public void event(EventType type) {
    if (d.knowsEveryBit()) {
      EventType found = subject.event(true);
      check(found == type, "the event is " + found + ", not " + type);
    }
  }

  /** No asynchronous event has come. */
  public void noEvent() {
    EventType found = subject.event(false);
    check(found == null, "unexpected event " + found);
  }

  /** A counter of the device has this value. */
  public void counter(Counter counter, long value) {
    long found = subject.counter(counter.label());
    check(found == value, Wording.of("%s is %d, not %d", counter, found, value));
  }

  /** The device's counters that are not 0, as {@code NAME=N}; packets and bytes do not count. */
  public void counted(String... counts) {
    Map<Counter, Long> meant =
        Stream.of(counts)
            .map(it -> it.split("="))
            .collect(toMap(it -> Counter.valueOf(it[0]), it -> Long.valueOf(it[1])));
    Map<Counter, Long> found = DeviceCounts.of(subject);
    check(found.equals(meant), "counted " + found + ", not " + meant);
  }

  static void check(boolean fine, String complaint) {
    Expect.that(fine, complaint);
  }
}
