package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.SubjectSetup.Attribute.MIN_RNR_TIMER;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.RQ_PSN;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;

/** We speak first: what the device's responder does with it. */
final class ResponderDialogues {
  private static final int MTU = 256;

  private final List<WireDialogue> all = new ArrayList<>();

  private ResponderDialogues() {
    duplicates();
    sequence();
    receivers();
    packets();
  }

  static List<WireDialogue> all() {
    return List.copyOf(new ResponderDialogues().all);
  }

  private void add(String id, Rule rule, String title, Consumer<Talk> script) {
    add(id, rule, title, SubjectSetup.rc(), script);
  }

  private void add(String id, Rule rule, String title, SubjectSetup setup, Consumer<Talk> script) {
    all.add(new WireDialogue("DLG-" + id, rule, title, setup, script));
  }

  private void duplicates() {
    add(
        "GHOST_ACK",
        Rule.DUPLICATES,
        "the ACK was lost: the duplicate SEND is acknowledged again and not delivered again",
        t -> {
          t.subject.receive(1, 100);
          t.subject.receive(2, 100);
          t.d.says(t.peer.send(0).bytes(0, 64).ackReq());
          t.d.hears(t.here.ack(0, 1));
          t.d.says(t.peer.send(0).bytes(0, 64).ackReq());
          t.d.hears(t.here.ack(0, 1));
          t.received(1, 64);
          t.nothingReceived();
        });
    add(
        "DUPLICATE-WRITE",
        Rule.DUPLICATES,
        "a duplicate WRITE does not undo what was written since",
        t -> {
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
          t.subject.word(0, 42);
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
          t.word(0, 42);
        });
    add(
        "DUPLICATE-ATOMIC",
        Rule.ATOMIC_REPLAY,
        "duplicate atomics are answered with the stored values of their PSNs and not executed",
        t -> {
          t.subject.word(0, 10);
          for (int round = 0; round < 2; round++) {
            t.d.says(t.peer.fetchAdd(0, t.subject.va(0), t.subject.rkey(), 1));
            t.d.hears(t.here.atomicAck(0, 1, 10));
            t.d.says(t.peer.compareSwap(1, t.subject.va(0), t.subject.rkey(), 11, 99));
            t.d.hears(t.here.atomicAck(1, 2, 11));
          }
          t.word(0, 99);
        });
    add(
        "REACK-BEFORE_READ",
        Rule.R1,
        "the ACK for a duplicate stops before a READ that followed it",
        t -> {
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
          t.d.says(t.peer.read(1, t.subject.patternVa(0), t.subject.rkey(), 8));
          t.d.hears(t.here.readOnly(1, 2).bytes(0, 8));
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 2));
        });
    add(
        "REACK-BEFORE_ATOMIC",
        Rule.R1,
        "the ACK for a duplicate stops before an atomic that followed it",
        t -> {
          t.d.says(t.peer.write(0, t.subject.va(64), t.subject.rkey(), 8).bytes(0, 8).ackReq());
          t.d.hears(t.here.ack(0, 1));
          t.d.says(t.peer.fetchAdd(1, t.subject.va(0), t.subject.rkey(), 1));
          t.d.hears(t.here.atomicAck(1, 2, 0));
          t.d.says(t.peer.write(0, t.subject.va(64), t.subject.rkey(), 8).bytes(0, 8).ackReq());
          t.d.hears(t.here.ack(0, 2));
        });
    add(
        "READ-REPLAY",
        Rule.READ_REPLAY,
        "read_partial_retry: a duplicate READ from the middle on is answered from there",
        t -> {
          t.d.says(t.peer.read(0, t.subject.patternVa(0), t.subject.rkey(), 3 * MTU));
          t.d.hears(
              t.here.readFirst(0, 1).bytes(0, MTU),
              t.here.readMiddle(1).bytes(MTU, 2 * MTU),
              t.here.readLast(2, 1).bytes(2 * MTU, 3 * MTU));
          t.d.says(t.peer.read(2, t.subject.patternVa(2 * MTU), t.subject.rkey(), MTU));
          t.d.hears(t.here.readOnly(2, 1).bytes(2 * MTU, 3 * MTU));
        });
    add(
        "READ-REPLAY_WHOLE",
        Rule.R7,
        "after the replay of a part the whole READ can be asked for again",
        t -> {
          for (int part : new int[] {0, 1, 0}) {
            t.d.says(
                t.peer.read(
                    part,
                    t.subject.patternVa(part * MTU),
                    t.subject.rkey(),
                    (2 - part) * (long) MTU));
            if (part == 0) {
              t.d.hears(
                  t.here.readFirst(0, 1).bytes(0, MTU), t.here.readLast(1, 1).bytes(MTU, 2 * MTU));
            } else {
              t.d.hears(t.here.readOnly(1, 1).bytes(MTU, 2 * MTU));
            }
          }
        });
    add(
        "READ-REPLAY_OUTSIDE",
        Rule.READ_REPLAY,
        "a duplicate READ outside the original range is dropped silently",
        t -> {
          t.d.says(t.peer.read(0, t.subject.patternVa(0), t.subject.rkey(), 8));
          t.d.hears(t.here.readOnly(0, 1).bytes(0, 8));
          t.d.says(t.peer.read(0, t.subject.patternVa(8), t.subject.rkey(), 8));
          t.d.hearsNothing();
          t.isIn(QpState.RTS);
        });
  }

  private void sequence() {
    add(
        "PSN-AHEAD",
        Rule.SEQUENCE_NAK,
        "one sequence NAK per gap; what else comes too early is dropped silently",
        t -> {
          t.d.says(t.write(1));
          t.d.hears(t.here.sequenceNak(0, 0));
          t.d.says(t.write(2));
          t.d.hearsNothing();
          t.d.says(t.write(1));
          t.d.hearsNothing();
          t.nothingLanded();
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
          t.d.says(t.write(2));
          t.d.hears(t.here.sequenceNak(1, 1));
        });
    for (int first : new int[] {0x222222, 0xfffffe, 0xffffff, 0x7fffff}) {
      String name = "_FROM_%06X".formatted(first);
      SubjectSetup from = SubjectSetup.rc().with(RQ_PSN, first);
      add(
          "PSN-EXPECTED" + name,
          Rule.PSN_ORDER,
          "the expected PSN is taken, and those after it, across the wrap",
          from,
          t -> {
            for (int psn = 0; psn < 4; psn++) {
              t.d.says(t.write(psn));
              t.d.hears(t.here.ack(psn, psn + 1));
            }
          });
      add(
          "PSN-FURTHEST_AHEAD" + name,
          Rule.PSN_ORDER,
          "2^23 - 1 ahead is ahead",
          from,
          t -> {
            t.d.says(t.write((1 << 23) - 1));
            t.d.hears(t.here.sequenceNak(0, 0));
          });
      add(
          "PSN-FURTHEST_BEHIND" + name,
          Rule.PSN_ORDER,
          "2^23 ahead is 2^23 behind: a duplicate",
          from,
          t -> {
            t.d.says(t.write(1 << 23));
            t.d.hears(t.here.ack(-1, 0));
            t.nothingLanded();
          });
    }
    add(
        "PSN-DUPLICATE_AFTER_NAK",
        Rule.SEQUENCE_NAK,
        "a duplicate does not clear the NAK state",
        t -> {
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
          t.d.says(t.write(2));
          t.d.hears(t.here.sequenceNak(1, 1));
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
          t.d.says(t.write(3));
          t.d.hearsNothing();
        });
  }

  private void receivers() {
    for (int code : new int[] {1, 12, 31}) {
      add(
          "RNR-TIMER_" + code,
          Rule.R14,
          "a SEND that finds no receive request: RNR NAK with timer code " + code,
          SubjectSetup.rc().with(MIN_RNR_TIMER, code),
          t -> {
            t.d.says(t.peer.send(0).bytes(0, 8).ackReq());
            t.d.hears(t.here.rnrNak(0, code, 0));
            t.subject.receive(1, 8);
            t.d.says(t.peer.send(0).bytes(0, 8).ackReq());
            t.d.hears(t.here.ack(0, 1));
            t.received(1, 8);
          });
    }
    add(
        "RNR-NO_SEQUENCE_NAK",
        Rule.R4,
        "after an RNR NAK no sequence NAK until the expected PSN has come",
        t -> {
          t.d.says(t.peer.send(0).bytes(0, 8).ackReq());
          t.d.hears(t.here.rnrNak(0, 12, 0));
          t.d.says(t.write(1));
          t.d.hearsNothing();
        });
  }

  private void dropped(String id, Rule rule, String title, Consumer<Talk> said) {
    add(
        id,
        rule,
        title + " is dropped silently",
        t -> {
          said.accept(t);
          t.d.hearsNothing();
          t.nothingLanded();
          t.isIn(QpState.RTS);
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
        });
  }

  private void packets() {
    dropped(
        "DROP-P_KEY",
        Rule.PACKET_CHECKS,
        "a packet of another partition",
        t -> t.d.says(t.write(0).pkey(0x1234)));
    dropped(
        "DROP-DEST_QP",
        Rule.PACKET_CHECKS,
        "a packet for an unknown queue pair",
        t -> t.d.says(t.write(0).toQp(0xfffff0)));
    dropped(
        "DROP-ICRC",
        Rule.PACKET_CHECKS,
        "a packet with a wrong ICRC",
        t -> {
          t.needsRealWire("a fabric seals every packet");
          t.d.saysDamaged(t.write(0));
        });
    add(
        "BITS-REQUEST",
        Rule.IGNORED_BITS,
        "MigReq, BECN and reserved bits of a request are ignored",
        t -> {
          t.d.says(t.write(0).migReqAndReservedBits());
          t.d.hears(t.here.ack(0, 1));
          t.landed(0, 8);
        });
    add(
        "CNP-FOR_CONGESTION",
        Rule.CONGESTION,
        "a request that met congestion is answered by a CNP, or not, and acknowledged",
        t -> {
          t.needsRealWire("the fabric of dialogues marks nothing");
          t.d.says(t.write(0).congested());
          t.d.hearsBesidesCnp(t.here.ack(0, 1));
          t.landed(0, 8);
        });
    add(
        "CNP-RECEIVED",
        Rule.CONGESTION,
        "a CNP is not answered and changes nothing but the rate",
        t -> {
          t.d.says(t.peer.congestionNotification());
          t.d.hearsNothing();
          t.isIn(QpState.RTS);
          t.d.says(t.write(0));
          t.d.hears(t.here.ack(0, 1));
        });
  }
}
