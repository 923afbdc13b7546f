package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.SubjectSetup.Attribute.MAX_RD_ATOMIC;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.RETRY_CNT;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.RNR_RETRY;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.SQ_PSN;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.TIMEOUT;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.dialogue.PacketDraft;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;

/** The device speaks first: what its requester does with our answers, and without them. */
final class RequesterDialogues {
  private static final int MTU = 256;

  private final List<WireDialogue> all = new ArrayList<>();

  private RequesterDialogues() {
    acknowledgements();
    answers();
    retries();
    receivers();
    timeouts();
  }

  static List<WireDialogue> all() {
    return List.copyOf(new RequesterDialogues().all);
  }

  private void add(String id, Rule rule, String title, Consumer<Talk> script) {
    add(id, rule, title, SubjectSetup.rc(), script);
  }

  private void add(String id, Rule rule, String title, SubjectSetup setup, Consumer<Talk> script) {
    all.add(new WireDialogue("DLG-" + id, rule, title, setup, script));
  }

  private void acknowledgements() {
    add(
        "ACK-COVERS",
        Rule.IMPLIED_ACK,
        "an ACK completes every SEND and WRITE up to its PSN, in order",
        t -> {
          t.postsSend(1, 10);
          t.postsWrite(2, 10);
          t.postsSend(3, 10);
          t.d.hears(
              t.send(0), t.here.write(1, Talk.VA, Talk.RKEY, 10).bytes(0, 10).ackReq(), t.send(2));
          t.d.says(t.peer.ack(1, 2));
          t.sent(1, WcStatus.SUCCESS);
          t.sent(2, WcStatus.SUCCESS);
          t.nothingSent();
          t.d.says(t.peer.ack(2, 3));
          t.sent(3, WcStatus.SUCCESS);
        });
    add(
        "ACK-FOR_READ",
        Rule.R2,
        "a plain ACK does not complete a READ",
        t -> {
          t.postsRead(1, 100);
          t.d.hears(t.read(0, 100));
          t.d.says(t.peer.ack(0, 1));
          t.nothingSent();
          t.d.says(t.peer.readOnly(0, 1).bytes(0, 100));
          t.sent(1, WcStatus.SUCCESS);
          t.landed(0, 100);
        });
    add(
        "ACK-FOR_ATOMIC",
        Rule.R2,
        "a plain ACK does not complete an atomic",
        t -> {
          t.postsFetchAdd(1, 3);
          t.d.hears(t.here.fetchAdd(0, Talk.VA, Talk.RKEY, 3));
          t.d.says(t.peer.ack(0, 1));
          t.nothingSent();
          t.d.says(t.peer.atomicAck(0, 1, 42));
          t.sent(1, WcStatus.SUCCESS);
          t.word(0, 42);
        });
    add(
        "NAK-BEHIND_READ",
        Rule.R3,
        "implied_nak: a sequence NAK behind a READ without data restarts at the READ",
        t -> {
          t.postsRead(1, 100);
          t.postsSend(2, 10);
          t.d.hears(t.read(0, 100), t.send(1));
          t.d.says(t.peer.sequenceNak(1, 1));
          t.d.hears(t.read(0, 100), t.send(1));
          t.nothingSent();
          t.d.says(t.peer.readOnly(0, 1).bytes(0, 100));
          t.d.says(t.peer.ack(1, 2));
          t.sent(1, WcStatus.SUCCESS);
          t.sent(2, WcStatus.SUCCESS);
        });
    add(
        "ACK-STALE",
        Rule.STALE,
        "an ACK for what was never sent changes nothing",
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          t.d.says(t.peer.ack(5, 1));
          t.d.says(t.peer.ack(-1, 0));
          t.nothingSent();
          t.d.says(t.peer.ack(0, 1));
          t.sent(1, WcStatus.SUCCESS);
        });
    add(
        "BITS-RESPONSE",
        Rule.IGNORED_BITS,
        "MigReq, BECN and reserved bits of a response are ignored",
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          t.d.says(t.peer.ack(0, 1).migReqAndReservedBits());
          t.sent(1, WcStatus.SUCCESS);
        });
  }

  private void bad(String id, String title, Consumer<Talk> posts, Answer answer) {
    add(
        "BAD_RESPONSE-" + id,
        Rule.BAD_RESPONSE,
        title + ": BAD_RESP_ERR, ERR",
        t -> {
          posts.accept(t);
          t.d.hearsSomething();
          t.d.says(answer.of(t));
          t.sent(1, WcStatus.BAD_RESP_ERR);
          t.isIn(QpState.ERR);
        });
  }

  /** What we answer. */
  private interface Answer {
    PacketDraft of(Talk t);
  }

  private void answers() {
    bad(
        "DATA_FOR_SEND",
        "a READ response to a SEND",
        t -> t.postsSend(1, 10),
        t -> t.peer.readOnly(0, 1).bytes(0, 10));
    bad(
        "ATOMIC_FOR_READ",
        "an atomic acknowledgement to a READ",
        t -> t.postsRead(1, 10),
        t -> t.peer.atomicAck(0, 1, 7));
    bad(
        "READ_SHORT",
        "a READ response with too few bytes",
        t -> t.postsRead(1, 16),
        t -> t.peer.readOnly(0, 1).bytes(0, 12));
    bad(
        "READ_LONG",
        "a READ response with too many bytes",
        t -> t.postsRead(1, 16),
        t -> t.peer.readOnly(0, 1).bytes(0, 20));
    bad(
        "MIDDLE_FIRST",
        "a READ response that begins with a MIDDLE",
        t -> t.postsRead(1, 3 * MTU),
        t -> t.peer.readMiddle(0).bytes(0, MTU));
    wrongAnswers();
    int[] syndromes = {0x61, 0x62, 0x63};
    WcStatus[] statuses = {WcStatus.REM_INV_REQ_ERR, WcStatus.REM_ACCESS_ERR, WcStatus.REM_OP_ERR};
    for (int i = 0; i < syndromes.length; i++) {
      int syndrome = syndromes[i];
      WcStatus status = statuses[i];
      add(
          "NAK-%02X".formatted(syndrome),
          Rule.REMOTE_ERROR,
          "NAK 0x%02x completes %s, what precedes succeeds, what follows is flushed"
              .formatted(syndrome, status),
          t -> {
            t.postsSend(1, 10);
            t.postsSend(2, 10);
            t.postsSend(3, 10);
            t.d.hears(t.send(0), t.send(1), t.send(2));
            t.d.says(t.peer.acknowledge(1, syndrome, 1));
            t.sent(1, WcStatus.SUCCESS);
            t.sent(2, status);
            t.sent(3, WcStatus.WR_FLUSH_ERR);
            t.isIn(QpState.ERR);
          });
    }
    add(
        "READ-CREDITS",
        Rule.READ_CREDITS,
        "no more READs at a time than max_rd_atomic",
        SubjectSetup.rc().with(MAX_RD_ATOMIC, 1),
        t -> {
          t.postsRead(1, 8);
          t.postsRead(2, 8);
          t.d.hears(t.read(0, 8));
          t.d.hearsNothing();
          t.d.says(t.peer.readOnly(0, 1).bytes(0, 8));
          t.sent(1, WcStatus.SUCCESS);
          t.d.hears(t.read(1, 8));
        });
  }

  /** Answers of the wrong kind, length or pad, and numbers in acknowledgements. */
  private void wrongAnswers() {
    Consumer<Talk> read = t -> t.postsRead(1, 600);
    Consumer<Talk> atomic = t -> t.postsFetchAdd(1, 3);
    wrong("ATOMIC_FOR_SEND", t -> t.postsSend(1, 10), t -> t.peer.atomicAck(0, 1, 5));
    wrong("ONLY_FOR_THREE", read, t -> t.peer.readOnly(0, 1).bytes(0, 10));
    wrong("SHORT_FIRST", read, t -> t.peer.readFirst(0, 1).bytes(0, MTU - 1));
    wrong("LAST_FIRST", read, t -> t.peer.readLast(0, 1).bytes(0, MTU));
    wrong("PAD", read, t -> t.peer.readFirst(0, 1).bytes(0, MTU).pad(2));
    wrong("ATOMIC_FOR_THREE", read, t -> t.peer.atomicAck(0, 1, 5));
    wrong("READ_FOR_ATOMIC", atomic, t -> t.peer.readOnly(0, 1).bytes(0, 8));
    wrong("EMPTY_FOR_ATOMIC", atomic, t -> t.peer.readOnly(0, 1));
    wrong("NAK_IN_ATOMIC", atomic, t -> t.peer.atomicAck(0, 0x62, 1, 5));
    for (int syndrome : new int[] {0x64, 0x65, 0x7f, 0x40, 0x9f, 0xff}) {
      answered(
          "NAK-RESERVED_%02X".formatted(syndrome),
          Rule.REMOTE_ERROR,
          "a reserved NAK code or syndrome is a remote operation error",
          t -> t.peer.acknowledge(0, syndrome, 0),
          WcStatus.REM_OP_ERR);
    }
    for (int credits : new int[] {0, 1, 15, 30, 31}) {
      answered(
          "ACK-CREDITS_" + credits,
          Rule.IMPLIED_ACK,
          "credits in an ACK are ignored",
          t -> t.peer.acknowledge(0, credits, 12345),
          WcStatus.SUCCESS);
    }
    ours(
        "ACK-UNASKED",
        Rule.STALE,
        "responses to nothing are dropped",
        t -> {
          t.d.says(t.peer.ack(0, 0));
          t.d.says(t.peer.readOnly(0, 1).bytes(0, 8));
          t.d.says(t.peer.atomicAck(0, 1, 5));
          t.d.hearsNothing();
          t.isIn(QpState.RTS);
        });
  }

  private void ours(String id, Rule rule, String title, Consumer<Talk> script) {
    all.add(new WireDialogue("DLG-" + id, rule, title, SubjectSetup.rc(), script).ours());
  }

  private void wrong(String what, Consumer<Talk> posts, Answer answer) {
    ours(
        "BAD_RESPONSE-" + what,
        Rule.BAD_RESPONSE,
        what + ": BAD_RESP_ERR, ERR, what follows is flushed",
        t -> {
          posts.accept(t);
          t.postsSend(2, 10);
          t.d.hearsSomething();
          t.d.hearsSomething();
          t.d.says(answer.of(t));
          t.sent(1, WcStatus.BAD_RESP_ERR);
          t.sent(2, WcStatus.WR_FLUSH_ERR);
          t.isIn(QpState.ERR);
          t.nothingLanded();
        });
  }

  /** What a SEND comes to when this answers it. */
  private void answered(String id, Rule rule, String title, Answer answer, WcStatus status) {
    ours(
        id,
        rule,
        title,
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          t.d.says(answer.of(t));
          t.sent(1, status);
          t.isIn(status == WcStatus.SUCCESS ? QpState.RTS : QpState.ERR);
        });
  }

  private void retries() {
    for (int first : new int[] {0x111111, 0xfffffe}) {
      add(
          "NAK-PARTIAL_WRITE_FROM_%06X".formatted(first),
          Rule.GO_BACK,
          "a sequence NAK inside a message repeats it from there, as it was",
          SubjectSetup.rc().with(SQ_PSN, first),
          t -> {
            t.postsWrite(1, 3 * MTU);
            PacketDraft middle = t.here.writeMiddle(1).bytes(MTU, 2 * MTU);
            PacketDraft last = t.here.writeLast(2).bytes(2 * MTU, 3 * MTU).ackReq();
            t.d.hears(
                t.here.writeFirst(0, Talk.VA, Talk.RKEY, 3 * MTU).bytes(0, MTU), middle, last);
            t.d.says(t.peer.sequenceNak(1, 0));
            t.d.hears(middle, last);
            t.d.says(t.peer.ack(2, 1));
            t.sent(1, WcStatus.SUCCESS);
          });
    }
    add(
        "READ-PARTIAL_RETRY",
        Rule.RESPONSE_GAP,
        "a lost READ response is asked for again, and what follows it",
        SubjectSetup.rc().with(TIMEOUT, 16),
        t -> {
          t.postsRead(1, 3 * MTU);
          t.d.hears(t.read(0, 3 * MTU));
          t.d.says(t.peer.readFirst(0, 1).bytes(0, MTU));
          t.d.says(t.peer.readLast(2, 1).bytes(2 * MTU, 3 * MTU));
          t.d.hears(t.here.read(1, Talk.VA + MTU, Talk.RKEY, 2 * MTU));
          t.d.says(t.peer.readFirst(1, 1).bytes(MTU, 2 * MTU));
          t.d.says(t.peer.readLast(2, 1).bytes(2 * MTU, 3 * MTU));
          t.sent(1, WcStatus.SUCCESS);
          t.landed(0, 3 * MTU);
        });
    add(
        "NAK-NO_RETRIES",
        Rule.RETRY_COUNT,
        "retry_cnt 0: a sequence NAK without progress fails the request",
        SubjectSetup.rc().with(RETRY_CNT, 0),
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          t.d.says(t.peer.sequenceNak(0, 0));
          t.sent(1, WcStatus.RETRY_EXC_ERR);
          t.isIn(QpState.ERR);
        });
  }

  private void receivers() {
    for (int code : new int[] {14, 22, 26}) {
      add(
          "RNR-WAIT_" + code,
          Rule.R14,
          "after an RNR NAK the request waits at least " + Aeth.rnrDelayNs(code) / 1000 + " us",
          t -> {
            t.postsSend(1, 10);
            t.d.hears(t.send(0));
            long told = t.d.nowNs();
            t.d.says(t.peer.rnrNak(0, code, 0));
            t.d.hearsAt(told + Aeth.rnrDelayNs(code), t.send(0));
            t.d.says(t.peer.ack(0, 1));
            t.sent(1, WcStatus.SUCCESS);
          });
    }
    add(
        "RNR-EXHAUSTED",
        Rule.RNR_COUNT,
        "rnr_retry 2: three attempts, then RNR_RETRY_EXC_ERR",
        SubjectSetup.rc().with(RNR_RETRY, 2),
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          for (int retry = 0; retry < 2; retry++) {
            long told = t.d.nowNs();
            t.d.says(t.peer.rnrNak(0, 20, 0));
            t.d.hearsAt(told + Aeth.rnrDelayNs(20), t.send(0));
          }
          t.d.says(t.peer.rnrNak(0, 20, 0));
          t.sent(1, WcStatus.RNR_RETRY_EXC_ERR);
          t.d.hearsNothing();
        });
    add(
        "RNR-SEQUENCE_NAK",
        Rule.R4,
        "a sequence NAK during an RNR wait changes nothing",
        SubjectSetup.rc().with(RETRY_CNT, 0),
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          long told = t.d.nowNs();
          t.d.says(t.peer.rnrNak(0, 26, 0));
          t.d.says(t.peer.sequenceNak(0, 0));
          t.d.hearsAt(told + Aeth.rnrDelayNs(26), t.send(0));
          t.d.says(t.peer.ack(0, 1));
          t.sent(1, WcStatus.SUCCESS);
        });
  }

  private void timeouts() {
    for (int code : new int[] {14, 16}) {
      long ns = AckTimeout.ns(code);
      add(
          "TIMEOUT-" + code,
          Rule.ACK_TIMEOUT,
          "without an answer the request is repeated after at least " + ns / 1000 + " us",
          SubjectSetup.rc().with(TIMEOUT, code),
          t -> {
            long posted = t.d.nowNs();
            t.postsSend(1, 10);
            t.d.hears(t.send(0));
            t.d.hearsAgainAt(posted + ns, t.send(0));
            t.d.says(t.peer.ack(0, 1));
            t.sent(1, WcStatus.SUCCESS);
          });
    }
    add(
        "TIMEOUT-EXHAUSTED",
        Rule.RETRY_COUNT,
        "retry_cnt 2: three attempts, a timeout apart, then RETRY_EXC_ERR",
        SubjectSetup.rc().with(TIMEOUT, 14).with(RETRY_CNT, 2),
        t -> {
          long ns = AckTimeout.ns(14);
          long posted = t.d.nowNs();
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          t.d.hearsAgainAt(posted + ns, t.send(0));
          t.d.hearsAgainAt(posted + 2 * ns, t.send(0));
          t.d.repeatsOnlyUntil(posted + 5 * ns / 2, t.send(0));
          t.notSentBefore(posted + 3 * ns);
          t.d.repeatsOnlyUntil(posted + 3 * ns + 1, t.send(0));
          t.sent(1, WcStatus.RETRY_EXC_ERR);
        });
    add(
        "TIMEOUT-NEVER",
        Rule.ACK_TIMEOUT,
        "timeout 0 waits for ever (here: 300 ms)",
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.send(0));
          t.d.hearsNothingUntil(t.d.nowNs() + 300_000_000);
          t.d.says(t.peer.ack(0, 1));
          t.sent(1, WcStatus.SUCCESS);
        });
  }
}
