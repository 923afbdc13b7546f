package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.SubjectSetup.Attribute.MAX_DEST_RD_ATOMIC;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.dialogue.PacketDraft;
import org.roce4j.verbs.QpState;

/** READs and atomics that the device answers, once and again; held with roce4j's devices. */
final class AnswerDialogues {
  private static final int MTU = 256;

  private final List<WireDialogue> all = new ArrayList<>();

  private AnswerDialogues() {
    reads();
    duplicates();
    atomics();
    atomicDuplicates();
  }

  static List<WireDialogue> all() {
    return List.copyOf(new AnswerDialogues().all);
  }

  private void add(String id, Rule rule, String title, Consumer<Talk> script) {
    add(id, rule, title, SubjectSetup.rc(), script);
  }

  private void add(String id, Rule rule, String title, SubjectSetup setup, Consumer<Talk> script) {
    all.add(new WireDialogue("DLG-" + id, rule, title, setup, script).ours());
  }

  /** A READ of bytes {@code [from, to)} of the pattern. */
  private static PacketDraft read(Talk t, int psn, int from, int to) {
    return t.peer.read(psn, t.subject.patternVa(from), t.subject.rkey(), to - from);
  }

  private static void answersInThree(Talk t) {
    t.d.hears(
        t.here.readFirst(0, 1).bytes(0, MTU),
        t.here.readMiddle(1).bytes(MTU, 2 * MTU),
        t.here.readLast(2, 1).bytes(2 * MTU, 700));
  }

  private void reads() {
    add(
        "READ-LONG",
        Rule.READ_ANSWER,
        "responses are FIRST, MIDDLE, LAST from the request's PSN on; AETH not on MIDDLE",
        t -> {
          t.d.says(read(t, 0, 0, 700));
          answersInThree(t);
          t.d.says(read(t, 3, 0, 0));
          t.d.hears(t.here.readOnly(3, 2));
          t.d.hearsNothing();
        });
    add(
        "READ-EMPTY",
        Rule.READ_ANSWER,
        "a READ of length 0 needs no key and takes one PSN",
        t -> {
          t.d.says(t.peer.read(0, 0, 0xdead, 0));
          t.d.hears(t.here.readOnly(0, 1));
          t.isIn(QpState.RTS);
        });
    add(
        "READ-PAD",
        Rule.READ_ANSWER,
        "pad bytes are zero, whatever was sent before",
        t -> {
          t.d.says(read(t, 0, 1, 21));
          t.d.hears(t.here.readOnly(0, 1).bytes(1, 21));
          t.d.says(read(t, 1, 1, 6));
          t.d.hears(t.here.readOnly(1, 2).bytes(1, 6));
        });
  }

  private void duplicates() {
    add(
        "READ-REPLAY_PARTS",
        Rule.READ_REPLAY,
        "a duplicate from any packet on is answered from there",
        t -> {
          t.d.says(read(t, 0, 0, 700));
          answersInThree(t);
          t.d.says(read(t, 1, MTU, 700));
          t.d.hears(
              t.here.readFirst(1, 1).bytes(MTU, 2 * MTU),
              t.here.readLast(2, 1).bytes(2 * MTU, 700));
          t.d.says(read(t, 2, 2 * MTU, 700));
          t.d.hears(t.here.readOnly(2, 1).bytes(2 * MTU, 700));
        });
    add(
        "READ-REPLAY_OTHER",
        Rule.READ_REPLAY,
        "a duplicate outside the original range or with another key is dropped silently",
        t -> {
          t.d.says(read(t, 0, MTU, 2 * MTU));
          t.d.hears(t.here.readOnly(0, 1).bytes(MTU, 2 * MTU));
          long va = t.subject.patternVa(MTU);
          t.d.says(read(t, 0, 0, MTU), read(t, 0, MTU, 600));
          t.d.says(t.peer.read(0, va, t.subject.rkey() + 1, MTU));
          t.d.says(t.peer.read(0, va, t.subject.rkey(), 1L << 31));
          t.d.hearsNothing();
          t.isIn(QpState.RTS);
        });
    add(
        "READ-REPLAY_FORGOTTEN",
        Rule.READ_REPLAY,
        "a duplicate of a READ that is no longer kept is dropped silently",
        SubjectSetup.rc().with(MAX_DEST_RD_ATOMIC, 1),
        t -> {
          for (int i = 0; i < 2; i++) {
            t.d.says(read(t, i, 8 * i, 8 * i + 8));
            t.d.hears(t.here.readOnly(i, i + 1).bytes(8 * i, 8 * i + 8));
          }
          t.d.says(read(t, 0, 0, 8));
          t.d.hearsNothing();
        });
  }

  private static PacketDraft add(Talk t, int psn, long addend) {
    return t.peer.fetchAdd(psn, t.subject.va(0), t.subject.rkey(), addend);
  }

  private static PacketDraft write(Talk t, int psn) {
    return t.peer.atomicWrite(psn, t.subject.va(0), t.subject.rkey(), 8).bytes(0, 8);
  }

  private void atomics() {
    add(
        "ATOMIC-FETCH_ADD",
        Rule.ATOMICS,
        "fetch-and-add answers the original value and wraps around",
        t -> {
          t.subject.word(0, -1);
          t.d.says(add(t, 0, 3));
          t.d.hears(t.here.atomicAck(0, 1, -1));
          t.word(0, 2);
        });
    add(
        "ATOMIC-COMPARE_SWAP",
        Rule.ATOMICS,
        "compare-and-swap changes nothing when the value differs",
        t -> {
          t.subject.word(0, 5);
          t.d.says(t.peer.compareSwap(0, t.subject.va(0), t.subject.rkey(), 4, 9));
          t.d.hears(t.here.atomicAck(0, 1, 5));
          t.word(0, 5);
          t.d.says(t.peer.compareSwap(1, t.subject.va(0), t.subject.rkey(), 5, 9));
          t.d.hears(t.here.atomicAck(1, 2, 5));
          t.word(0, 9);
        });
    add(
        "ATOMIC-WRITE",
        Rule.R17_ATOMIC_WRITE,
        "ATOMIC_WRITE stores eight bytes, once, and is answered by an empty READ response",
        t -> {
          t.d.says(write(t, 0));
          t.d.hears(t.here.readOnly(0, 1));
          t.landed(0, 8);
          t.subject.word(0, 0);
          t.d.says(write(t, 0));
          t.d.hears(t.here.readOnly(0, 1));
          t.word(0, 0);
        });
  }

  private void atomicDuplicates() {
    add(
        "ATOMIC-FORGOTTEN",
        Rule.ATOMIC_REPLAY,
        "a duplicate that is no longer kept is dropped silently",
        t -> {
          for (int i = 0; i < 5; i++) {
            t.d.says(add(t, i, 1));
            t.d.hears(t.here.atomicAck(i, i + 1, i));
          }
          t.d.says(add(t, 0, 1));
          t.d.hearsNothing();
          t.word(0, 5);
        });
    add(
        "ATOMIC-OTHER_KIND",
        Rule.ATOMIC_REPLAY,
        "neither READ nor ATOMIC_WRITE is a duplicate of an atomic with its PSN",
        t -> {
          t.d.says(add(t, 0, 1));
          t.d.hears(t.here.atomicAck(0, 1, 0));
          t.d.says(t.peer.read(0, t.subject.va(0), t.subject.rkey(), 8), write(t, 0));
          t.d.hearsNothing();
          t.word(0, 1);
        });
  }
}
