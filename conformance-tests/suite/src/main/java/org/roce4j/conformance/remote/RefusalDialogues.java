package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.SubjectSetup.Attribute.MAX_DEST_RD_ATOMIC;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.MR_ACCESS;
import static org.roce4j.conformance.remote.SubjectSetup.Attribute.QP_ACCESS;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.dialogue.PacketDraft;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** Requests that a responder refuses with a fatal NAK (rc-transport 4, checks 2, 3, 5 and 6). */
final class RefusalDialogues {
  private static final int MTU = 256;
  private static final int INVALID_REQUEST = 0x61;
  private static final int REMOTE_ACCESS = 0x62;
  private static final long TWO_GIB = 1L << 31;
  private static final int ALL =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  private final List<WireDialogue> all = new ArrayList<>();

  private RefusalDialogues() {
    opcodes();
    insideASend();
    lengths();
    lengthsOfSends();
    lengthsOfWrites();
    atomics();
    keys();
    rights();
    ranges();
  }

  static List<WireDialogue> all() {
    return List.copyOf(new RefusalDialogues().all);
  }

  /** Something that we say. */
  private interface Draft {
    PacketDraft of(Talk t);
  }

  /** A refusal under construction: which request, and what comes with its NAK. */
  private static final class Refusal {
    private final int syndrome;
    private final Draft[] drafts;
    private int receives;
    private WcStatus received = WcStatus.WR_FLUSH_ERR;
    private int landed;

    Refusal(int syndrome, Draft... drafts) {
      this.syndrome = syndrome;
      this.drafts = drafts;
    }

    /** There are two receive requests; the first completes with this status. */
    Refusal receives(int bytes, WcStatus status) {
      receives = bytes;
      received = status;
      return this;
    }

    /** What came before the refused packet stays in memory. */
    Refusal lands(int bytes) {
      landed = bytes;
      return this;
    }

    /** All packets but the last are acknowledged; after the NAK nothing is answered any more. */
    void play(Talk t) {
      if (receives > 0) {
        t.subject.receive(1, receives);
        t.subject.receive(2, receives);
      }
      int last = drafts.length - 1;
      for (int i = 0; i < last; i++) {
        t.d.says(drafts[i].of(t).ackReq());
        t.d.hears(t.here.ack(i, 0));
      }
      t.d.says(drafts[last].of(t).ackReq());
      t.d.hears(t.here.acknowledge(last, syndrome, 0));
      t.event(syndrome == REMOTE_ACCESS ? EventType.QP_ACCESS_ERR : EventType.QP_REQ_ERR);
      if (receives > 0) {
        t.received(1, received);
        t.received(2, WcStatus.WR_FLUSH_ERR);
      }
      if (landed > 0) {
        t.landed(0, landed);
      }
      t.d.says(t.write(drafts.length));
      t.d.hearsNothing();
      t.isIn(QpState.ERR);
      if (landed == 0 && last == 0 && t.d.knowsEveryBit()) {
        t.nothingLanded();
      }
    }
  }

  /** A dialogue that other devices are known to hold, or declared not to. */
  private void add(String id, Rule rule, String title, SubjectSetup setup, Refusal refusal) {
    all.add(new WireDialogue("DLG-" + id, rule, title, setup, refusal::play));
  }

  private void ours(String id, Rule rule, String title, SubjectSetup setup, Refusal refusal) {
    all.add(new WireDialogue("DLG-" + id, rule, title, setup, refusal::play).ours());
  }

  private void invalid(String id, Rule rule, String title, Draft... drafts) {
    String what = title + ": NAK 0x61, ERR";
    add(id, rule, what, SubjectSetup.rc(), new Refusal(INVALID_REQUEST, drafts));
  }

  private void access(String id, Rule rule, String title, SubjectSetup setup, Draft draft) {
    add(id, rule, title + ": NAK 0x62, ERR", setup, new Refusal(REMOTE_ACCESS, draft));
  }

  // ---- opcodes

  private void opcodes() {
    Rule rule = Rule.OPCODE_SEQUENCE;
    invalid(
        "OPCODE-SEND_MIDDLE", rule, "a MIDDLE of nothing", t -> t.peer.sendMiddle(0).bytes(0, MTU));
    invalid("OPCODE-SEND_LAST", rule, "a LAST of nothing", t -> t.peer.sendLast(0).bytes(0, 8));
    invalid(
        "OPCODE-WRITE_LAST", rule, "a WRITE LAST of nothing", t -> t.peer.writeLast(0).bytes(0, 8));
    continuation("WRITE_MIDDLE", t -> t.peer.writeMiddle(0).bytes(0, MTU));
    continuation("WRITE_LAST_IMMEDIATE", t -> t.peer.writeLastImmediate(0, 1).bytes(0, 10));
    Draft writeFirst = writeFirst(2 * MTU);
    invalid(
        "OPCODE-SEND_IN_WRITE",
        rule,
        "a SEND MIDDLE inside a WRITE",
        writeFirst,
        t -> t.peer.sendMiddle(1).bytes(0, MTU));
    invalid("OPCODE-WRITE_IN_WRITE", rule, "an ONLY inside a WRITE", writeFirst, t -> t.write(1));
    invalid(
        "OPCODE-READ_IN_WRITE",
        rule,
        "a READ inside a WRITE",
        writeFirst,
        t -> t.peer.read(1, t.subject.patternVa(0), t.subject.rkey(), 8));
  }

  private void continuation(String what, Draft draft) {
    Refusal refusal = new Refusal(INVALID_REQUEST, draft).receives(1000, WcStatus.WR_FLUSH_ERR);
    String title = what + " of nothing: NAK 0x61, ERR, receives are flushed";
    ours("OPCODE-" + what, Rule.OPCODE_SEQUENCE, title, SubjectSetup.rc(), refusal);
  }

  private void insideASend() {
    interrupts("SEND_FIRST", t -> t.peer.sendFirst(1).bytes(0, MTU));
    interrupts("SEND_ONLY", t -> t.peer.send(1).bytes(0, 10));
    interrupts("WRITE_ONLY", t -> t.write(1));
    interrupts("WRITE_MIDDLE", t -> t.peer.writeMiddle(1).bytes(0, MTU));
    interrupts("WRITE_LAST", t -> t.peer.writeLast(1).bytes(0, 8));
    interrupts("READ", t -> t.peer.read(1, t.subject.va(0), t.subject.rkey(), 8));
    interrupts("FETCH_ADD", t -> t.peer.fetchAdd(1, t.subject.va(0), t.subject.rkey(), 8));
  }

  private void interrupts(String what, Draft draft) {
    ours(
        "OPCODE-IN_SEND-" + what,
        Rule.OPCODE_SEQUENCE,
        what + " inside a SEND: NAK 0x61, ERR, the receive request fails with it",
        SubjectSetup.rc(),
        new Refusal(INVALID_REQUEST, t -> t.peer.sendFirst(0).bytes(0, MTU), draft)
            .receives(1000, WcStatus.REM_INV_REQ_ERR)
            .lands(MTU));
  }

  // ---- lengths; the path MTU is 256

  private static Draft writeFirst(long bytes) {
    return t -> t.peer.writeFirst(0, t.subject.va(0), t.subject.rkey(), bytes).bytes(0, MTU);
  }

  private static Draft write(long bytes, int payload) {
    return t -> t.peer.write(0, t.subject.va(0), t.subject.rkey(), bytes).bytes(0, payload);
  }

  private void lengths() {
    Rule rule = Rule.LENGTHS;
    invalid(
        "LENGTH-FIRST_SHORT",
        rule,
        "a FIRST shorter than the path MTU",
        t -> t.peer.writeFirst(0, t.subject.va(0), t.subject.rkey(), 2 * MTU).bytes(0, MTU - 4));
    invalid("LENGTH-ONLY_LONG", rule, "an ONLY over the path MTU", write(MTU + 4, MTU + 4));
    invalid(
        "LENGTH-WRITE_EARLY",
        rule,
        "a WRITE that ends before its length",
        writeFirst(3L * MTU),
        t -> t.peer.writeLast(1).bytes(MTU, 2 * MTU));
    invalid(
        "LENGTH-WRITE_LATE",
        rule,
        "a WRITE that goes on after its length",
        writeFirst(MTU + 8L),
        t -> t.peer.writeLast(1).bytes(MTU, MTU + 16));
    invalid(
        "LENGTH-LAST_EMPTY",
        rule,
        "a LAST without payload",
        writeFirst(MTU + 8L),
        t -> t.peer.writeLast(1));
    invalid("LENGTH-READ_2G", rule, "a READ of more than 2^31 bytes", read(TWO_GIB + 1));
    invalid(
        "ATOMIC-UNALIGNED",
        Rule.ATOMICS,
        "an atomic at an address that is no multiple of 8",
        t -> t.peer.fetchAdd(0, t.subject.va(4), t.subject.rkey(), 1));
    all.add(
        new WireDialogue(
            "DLG-LENGTH-SEND_OVER_BUFFER",
            Rule.R5,
            "a SEND longer than its receive buffer: NAK 0x61, LOC_LEN_ERR at the receiver, ERR",
            SubjectSetup.rc(),
            t -> {
              t.subject.receive(1, 8);
              t.d.says(t.peer.send(0).bytes(0, 12).ackReq());
              t.d.hears(t.here.invalidRequestNak(0, 0));
              t.received(1, WcStatus.LOC_LEN_ERR);
              t.event(EventType.QP_REQ_ERR);
              t.isIn(QpState.ERR);
            }));
    all.add(
        new WireDialogue(
            "DLG-LENGTH-ZERO",
            Rule.REMOTE_KEY,
            "a WRITE of no bytes needs no key",
            SubjectSetup.rc(),
            t -> {
              t.d.says(t.peer.write(0, 0, 0, 0).ackReq());
              t.d.hears(t.here.ack(0, 1));
            }));
  }

  private static Draft read(long bytes) {
    return t -> t.peer.read(0, t.subject.va(0), t.subject.rkey(), bytes);
  }

  private void lengthsOfSends() {
    send("ONLY longer than the path MTU", t -> t.peer.send(0).bytes(0, MTU + 1));
    send("FIRST shorter than the path MTU", t -> t.peer.sendFirst(0).bytes(0, MTU - 1));
    send("FIRST longer than the path MTU", t -> t.peer.sendFirst(0).bytes(0, MTU + 1));
    send("empty FIRST", t -> t.peer.sendFirst(0));
    send("pad where none is needed", t -> t.peer.send(0).bytes(0, 4).pad(3));
    send("no pad where some is needed", t -> t.peer.send(0).bytes(0, 5).pad(0));
    send("too little pad", t -> t.peer.send(0).bytes(0, 5).pad(2));
    Draft first = t -> t.peer.sendFirst(0).bytes(0, MTU);
    send("short MIDDLE", first, t -> t.peer.sendMiddle(1).bytes(MTU, 300));
    send("long MIDDLE", first, t -> t.peer.sendMiddle(1).bytes(MTU, 520));
    send("empty LAST", first, t -> t.peer.sendLast(1));
    send("long LAST", first, t -> t.peer.sendLast(1).bytes(MTU, 520));
  }

  private void send(String what, Draft... drafts) {
    Refusal refusal = new Refusal(INVALID_REQUEST, drafts).receives(2000, WcStatus.REM_INV_REQ_ERR);
    length("SEND", what, drafts.length > 1 ? refusal.lands(MTU) : refusal);
  }

  private void length(String kind, String what, Refusal refusal) {
    String id =
        "LENGTH-" + kind + "-" + what.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", "_");
    String title = kind + ", " + what + ": NAK 0x61, ERR";
    ours(id, Rule.LENGTHS, title, SubjectSetup.rc(), refusal);
  }

  private void lengthsOfWrites() {
    write("ONLY shorter than its RETH", 0, write(100, 99));
    write("ONLY longer than its RETH", 0, write(100, 101));
    write("ONLY of more than 2G", 0, write(TWO_GIB + 1, 8));
    write("payload although RETH says 0", 0, write(0, 1));
    write("whole with its FIRST", 0, writeFirst(MTU));
    write("FIRST of more than 2G", 0, writeFirst(TWO_GIB + 1));
    write("end before its RETH", MTU, writeFirst(600), t -> t.peer.writeLast(1).bytes(MTU, 300));
    write(
        "MIDDLE after its RETH", MTU, writeFirst(300), t -> t.peer.writeMiddle(1).bytes(MTU, 512));
    length(
        "READ",
        "request with payload",
        new Refusal(INVALID_REQUEST, t -> read(8).of(t).bytes(0, 8)));
  }

  private void write(String what, int landed, Draft... drafts) {
    length("WRITE", what, new Refusal(INVALID_REQUEST, drafts).lands(landed));
  }

  private void atomics() {
    for (int offset : new int[] {1, 7}) {
      ours(
          "ATOMIC-UNALIGNED_" + offset,
          Rule.ATOMICS,
          "an atomic at an address that is no multiple of 8: NAK 0x61, ERR",
          SubjectSetup.rc(),
          new Refusal(
              INVALID_REQUEST, t -> t.peer.fetchAdd(0, t.subject.va(offset), t.subject.rkey(), 1)));
    }
    for (int length : new int[] {0, 4, 7, 9, 16}) {
      atomicWrite("OF_" + length, 0, length, 8);
    }
    for (int payload : new int[] {0, 4, 16}) {
      atomicWrite("CARRIES_" + payload, 0, 8, payload);
    }
    atomicWrite("UNALIGNED", 4, 8, 8);
  }

  private void atomicWrite(String what, int offset, int length, int payload) {
    ours(
        "ATOMIC_WRITE-" + what,
        Rule.R17_ATOMIC_WRITE,
        "an ATOMIC_WRITE of anything but 8 aligned bytes: NAK 0x61, ERR",
        SubjectSetup.rc(),
        new Refusal(
            INVALID_REQUEST,
            t ->
                t.peer
                    .atomicWrite(0, t.subject.va(offset), t.subject.rkey(), length)
                    .bytes(0, payload)));
  }

  // ---- keys, rights, ranges

  private void keys() {
    SubjectSetup rc = SubjectSetup.rc();
    Rule rule = Rule.REMOTE_KEY;
    access("RKEY-UNKNOWN", rule, "a key that does not exist", rc, key(0x55aa00));
    access("RKEY-GENERATION", rule, "a key whose low byte differs", rc, key(1));
    access("RKEY-BELOW", rule, "a range that begins before the region", rc, at(-Subject.HALF - 1));
    access("RKEY-BEYOND", rule, "a range that ends after it", rc, at(Subject.HALF - 7));
    access(
        "RKEY-OVERFLOW",
        Rule.R17_RANGE,
        "an address + length that overflows",
        rc,
        t -> t.peer.write(0, -8, t.subject.rkey(), 16).bytes(0, 16));
    access(
        "RKEY-REGION_RIGHT",
        rule,
        "a WRITE to a region without REMOTE_WRITE",
        rc.with(MR_ACCESS, AccessFlags.REMOTE_READ),
        t -> t.write(0));
    access(
        "RKEY-QP_RIGHT_WRITE",
        Rule.R9,
        "a WRITE that the queue pair does not allow",
        rc.with(QP_ACCESS, AccessFlags.REMOTE_READ),
        t -> t.write(0));
    access(
        "RKEY-QP_RIGHT_READ",
        Rule.R9,
        "a READ that the queue pair does not allow",
        rc.with(QP_ACCESS, AccessFlags.REMOTE_WRITE),
        t -> t.peer.read(0, t.subject.patternVa(0), t.subject.rkey(), 8));
    access(
        "RKEY-QP_RIGHT_ATOMIC",
        Rule.R9,
        "an atomic that the queue pair does not allow",
        rc.with(QP_ACCESS, AccessFlags.REMOTE_WRITE),
        t -> t.peer.fetchAdd(0, t.subject.va(0), t.subject.rkey(), 1));
    add(
        "READ-NO_RESOURCES",
        Rule.R10,
        "a READ with max_dest_rd_atomic 0: NAK 0x61, ERR",
        rc.with(MAX_DEST_RD_ATOMIC, 0),
        new Refusal(
            INVALID_REQUEST, t -> t.peer.read(0, t.subject.patternVa(0), t.subject.rkey(), 8)));
  }

  private static Draft key(int difference) {
    return t -> t.peer.write(0, t.subject.va(0), t.subject.rkey() ^ difference, 8).bytes(0, 8);
  }

  /** A WRITE that far from the empty half's beginning. */
  private static Draft at(long offset) {
    return t -> t.peer.write(0, t.subject.va(0) + offset, t.subject.rkey(), 8).bytes(0, 8);
  }

  private void rights() {
    right("READ", AccessFlags.REMOTE_READ, read(8));
    right(
        "FETCH_ADD",
        AccessFlags.REMOTE_ATOMIC,
        t -> t.peer.fetchAdd(0, t.subject.va(0), t.subject.rkey(), 8));
    right(
        "COMPARE_SWAP",
        AccessFlags.REMOTE_ATOMIC,
        t -> t.peer.compareSwap(0, t.subject.va(0), t.subject.rkey(), 0, 8));
    right(
        "ATOMIC_WRITE",
        AccessFlags.REMOTE_WRITE,
        t -> t.peer.atomicWrite(0, t.subject.va(0), t.subject.rkey(), 8).bytes(0, 8));
    right("WRITE", AccessFlags.REMOTE_WRITE, t -> t.write(0));
  }

  /** All rights but the one that is needed, of the queue pair and of the region. */
  private void right(String what, int missing, Draft draft) {
    SubjectSetup rc = SubjectSetup.rc();
    Refusal refusal = new Refusal(REMOTE_ACCESS, draft);
    String title = what + " although the %s lacks its right alone: NAK 0x62, ERR";
    ours(
        "RIGHT-QP-" + what,
        Rule.R9,
        title.formatted("queue pair"),
        rc.with(QP_ACCESS, ALL & ~missing),
        refusal);
    ours(
        "RIGHT-REGION-" + what,
        Rule.REMOTE_KEY,
        title.formatted("region"),
        rc.with(MR_ACCESS, ALL & ~missing),
        refusal);
  }

  private void ranges() {
    range("BEHIND", Rule.REMOTE_KEY, at(Subject.HALF));
    range("4G_BEHIND", Rule.REMOTE_KEY, at(1L << 32));
    range("FAR_BEHIND", Rule.REMOTE_KEY, at(Long.MAX_VALUE));
    for (long va : new long[] {-1, -7, -8, Long.MIN_VALUE}) {
      Draft draft = t -> t.peer.write(0, va, t.subject.rkey(), 8).bytes(0, 8);
      range("AT_%X".formatted(va), Rule.R17_RANGE, draft);
    }
    range("READ_OF_2G", Rule.R17_RANGE, read(TWO_GIB));
    range("WRITE_OF_2G", Rule.R17_RANGE, writeFirst(TWO_GIB));
  }

  private void range(String what, Rule rule, Draft draft) {
    String title = "a range that is not wholly inside the region: NAK 0x62, ERR";
    ours("RANGE-" + what, rule, title, SubjectSetup.rc(), new Refusal(REMOTE_ACCESS, draft));
  }
}
