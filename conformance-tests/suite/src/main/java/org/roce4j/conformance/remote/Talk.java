package org.roce4j.conformance.remote;

import java.util.Arrays;
import org.roce4j.conformance.bench.RowSkipped;
import org.roce4j.conformance.dialogue.ConnectedPackets;
import org.roce4j.conformance.dialogue.DatagramPackets;
import org.roce4j.conformance.dialogue.Dialogue;
import org.roce4j.conformance.dialogue.PacketDraft;
import org.roce4j.conformance.dialogue.Pattern;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Transport;

/** A dialogue under way: who speaks, with which subject, and what is asked of the subject. */
public final class Talk {
  /** Somewhere at our end, for requests that the subject sends us. */
  public static final long VA = 0x10000;

  /** A key of our end. */
  public static final int RKEY = 0x4d2;

  public final Dialogue d;
  public final Subject subject;

  /** What we say. */
  public final ConnectedPackets peer;

  /** What the device is expected to say. */
  public final ConnectedPackets here;

  /** What we say to a datagram queue pair. */
  public final DatagramPackets datagrams;

  private final boolean virtual;

  /**
   * Begins.
   *
   * @param qpn our queue pair's number, to which the subject is connected
   * @param virtual whether the wire is a fabric
   */
  public Talk(Dialogue dialogue, Subject subject, SubjectSetup setup, int qpn, boolean virtual) {
    d = dialogue;
    this.subject = subject;
    this.virtual = virtual;
    Transport transport = setup.get(Attribute.QP_TYPE) == 3 ? Transport.UC : Transport.RC;
    int there = setup.get(Attribute.RQ_PSN);
    int own = setup.get(Attribute.SQ_PSN);
    peer = new ConnectedPackets(transport, subject.qpNum(), there, own);
    here = new ConnectedPackets(transport, qpn, own, there);
    datagrams = new DatagramPackets(subject.qpNum(), qpn, setup.get(Attribute.QKEY), there);
  }

  /** Skips a dialogue that needs a real wire. */
  public void needsRealWire(String why) {
    if (virtual) {
      throw new RowSkipped(why);
    }
  }

  // ---- the subject's requests

  public void postsSend(long wrId, int bytes) {
    subject.post(WrOpcode.SEND, wrId, bytes, 0, 0, 0, 0);
  }

  public void postsWrite(long wrId, int bytes) {
    subject.post(WrOpcode.RDMA_WRITE, wrId, bytes, VA, RKEY, 0, 0);
  }

  public void postsRead(long wrId, int bytes) {
    subject.post(WrOpcode.RDMA_READ, wrId, bytes, VA, RKEY, 0, 0);
  }

  public void postsFetchAdd(long wrId, long add) {
    subject.post(WrOpcode.ATOMIC_FETCH_AND_ADD, wrId, Long.BYTES, VA, RKEY, add, 0);
  }

  /** The SEND of one packet that the device sends for a request of 10 bytes. */
  public PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  /** The READ request that the device sends. */
  public PacketDraft read(int psn, int bytes) {
    return here.read(psn, VA, RKEY, bytes);
  }

  /** Our WRITE of eight bytes of the pattern to the beginning of the empty half. */
  public PacketDraft write(int psn) {
    return peer.write(psn, subject.va(0), subject.rkey(), 8).bytes(0, 8).ackReq();
  }

  // ---- what became of it

  public void sent(long wrId, WcStatus status) {
    is("send", subject.sent(true), wrId, status);
  }

  public void received(long wrId, WcStatus status) {
    is("receive", subject.received(true), wrId, status);
  }

  /** A receive of so many bytes, which are those of the pattern. */
  public void received(long wrId, int bytes) {
    Subject.Completed completed = subject.received(true);
    is("receive", completed, wrId, WcStatus.SUCCESS);
    check(completed.bytes() == bytes, "received " + completed.bytes() + " bytes, not " + bytes);
    landed(0, bytes);
  }

  private static void is(String what, Subject.Completed found, long wrId, WcStatus status) {
    check(found != null, "no " + what + " completion for request " + wrId);
    check(
        found.wrId() == wrId && found.status() == status,
        what + " completion " + found + ", not " + wrId + " " + status);
  }

  /** Neither a packet nor a send completion comes. */
  public void nothingSent() {
    d.hearsNothing();
    Subject.Completed found = subject.sent(false);
    check(found == null, "unexpected send completion " + found);
  }

  /** No send completion has come yet, if the answer to that question comes before this moment. */
  public void notSentBefore(long ns) {
    Subject.Completed found = subject.sent(false);
    check(found == null || d.nowNs() >= ns, "the completion " + found + " comes too early");
  }

  /** Neither a packet nor a receive completion comes. */
  public void nothingReceived() {
    d.hearsNothing();
    Subject.Completed found = subject.received(false);
    check(found == null, "unexpected receive completion " + found);
  }

  /** Bytes {@code [from, to)} of the empty half are those of the pattern, the next is empty. */
  public void landed(int from, int to) {
    byte[] found = subject.bytes(from, to + 1);
    byte[] meant = Arrays.copyOf(Pattern.bytes(from, to).toArray(), to - from + 1);
    check(Arrays.equals(found, meant), "bytes %d to %d are not what was sent".formatted(from, to));
  }

  /** Nothing was written to the beginning of the empty half. */
  public void nothingLanded() {
    check(
        Arrays.equals(subject.bytes(0, 64), new byte[64]), "something was written, and should not");
  }

  public void word(int offset, long value) {
    long found = subject.word(offset);
    check(found == value, "the word is %d, not %d".formatted(found, value));
  }

  /** The next asynchronous event, where the device is ours; others are known to raise none. */
  public void event(EventType type) {
    if (d.knowsEveryBit()) {
      EventType found = subject.event();
      check(found == type, "the event is " + found + ", not " + type);
    }
  }

  public void isIn(QpState state) {
    QpState found = subject.state();
    check(found == state, "the queue pair is in " + found + ", not in " + state);
  }

  private static void check(boolean fine, String complaint) {
    if (!fine) {
      throw new AssertionError(complaint);
    }
  }
}
