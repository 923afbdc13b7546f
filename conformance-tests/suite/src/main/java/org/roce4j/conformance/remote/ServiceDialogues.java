package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.SubjectSetup.Attribute.QP_ACCESS;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.dialogue.PacketDraft;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** Unreliable connections and datagrams. */
final class ServiceDialogues {
  private static final int MTU = 256;

  private final List<WireDialogue> all = new ArrayList<>();

  private ServiceDialogues() {
    unreliable();
    tornMessages();
    datagrams();
  }

  static List<WireDialogue> all() {
    return List.copyOf(new ServiceDialogues().all);
  }

  private void add(String id, Rule rule, String title, SubjectSetup setup, Consumer<Talk> script) {
    all.add(new WireDialogue("DLG-" + id, rule, title, setup, script));
  }

  private void unreliable() {
    add(
        "UC-SILENT",
        Rule.UC,
        "a message is taken and not acknowledged, whatever AckReq says",
        SubjectSetup.uc(),
        t -> {
          t.subject.receive(1, 100);
          t.d.says(t.peer.send(0).bytes(0, 40).ackReq());
          t.received(1, 40);
          t.d.hearsNothing();
        });
    add(
        "UC-COMPLETES_ALONE",
        Rule.UC,
        "a request completes without an answer",
        SubjectSetup.uc(),
        t -> {
          t.postsSend(1, 10);
          t.d.hears(t.here.send(0).bytes(0, 10));
          t.sent(1, WcStatus.SUCCESS);
        });
    add(
        "UC-RESYNC",
        Rule.R11,
        "a torn message costs itself alone: the next FIRST or ONLY is taken at any PSN",
        SubjectSetup.uc(),
        t -> {
          t.subject.receive(1, 1000);
          t.d.says(t.peer.sendFirst(0).bytes(0, MTU));
          t.d.says(t.peer.send(5).bytes(0, 30));
          t.received(1, WcStatus.SUCCESS);
        });
    add(
        "UC-GAP",
        Rule.R11,
        "behind a gap the rest of a message is ignored",
        SubjectSetup.uc(),
        t -> {
          t.subject.receive(1, 1000);
          t.d.says(t.peer.sendFirst(0).bytes(0, MTU));
          t.d.says(t.peer.sendLast(2).bytes(2 * MTU, 2 * MTU + 8));
          t.nothingReceived();
          t.d.says(t.peer.send(3).bytes(0, 30));
          t.received(1, WcStatus.SUCCESS);
        });
    add(
        "UC-QP_RIGHT",
        Rule.UC,
        "a WRITE that the queue pair does not allow is dropped silently",
        SubjectSetup.uc().with(QP_ACCESS, AccessFlags.REMOTE_READ),
        t -> {
          t.d.says(t.write(0));
          t.d.hearsNothing();
          t.nothingLanded();
          t.isIn(QpState.RTS);
        });
  }

  private void uc(String id, Rule rule, String title, Consumer<Talk> script) {
    all.add(new WireDialogue("DLG-UC-" + id, rule, title, SubjectSetup.uc(), script).ours());
  }

  private void tornMessages() {
    for (int psn : new int[] {1, 100, 0x7fffff, 0x800000, 0xfffffe}) {
      uc(
          "START_AT_%06X".formatted(psn),
          Rule.R11,
          "FIRST or ONLY at any PSN starts afresh",
          t -> {
            t.subject.receive(1, 600);
            t.subject.receive(2, 600);
            t.d.says(t.peer.sendFirst(psn).bytes(0, MTU), t.peer.sendLast(psn + 1).bytes(MTU, 300));
            t.received(1, 300);
            t.d.says(t.peer.send(psn + 5).bytes(0, 10));
            t.received(2, WcStatus.SUCCESS);
            t.isIn(QpState.RTS);
          });
    }
    uc(
        "REWIND",
        Rule.R11,
        "the receive request of a torn message serves the next one from its beginning",
        t -> {
          t.subject.receive(1, 300);
          t.d.says(t.peer.sendFirst(0).bytes(0, MTU));
          t.d.says(t.peer.sendFirst(5).bytes(0, MTU), t.peer.sendLast(6).bytes(MTU, 300));
          t.received(1, 300);
        });
    uc(
        "NOTHING_BEGUN",
        Rule.UC,
        "MIDDLE and LAST of nothing are ignored",
        t -> {
          t.subject.receive(1, 300);
          t.d.says(t.peer.sendMiddle(0).bytes(0, MTU), t.peer.sendLast(1).bytes(0, 10));
          t.d.says(t.peer.writeMiddle(2).bytes(0, MTU));
          t.d.says(t.peer.writeLastImmediate(3, 1).bytes(0, 10));
          t.nothingReceived();
          t.nothingLanded();
          t.isIn(QpState.RTS);
        });
    uc(
        "REPLAYED",
        Rule.UC,
        "a replayed ONLY cannot be recognised: it is executed again",
        t -> {
          for (int wrId = 1; wrId <= 2; wrId++) {
            t.subject.receive(wrId, 10);
            t.d.says(t.peer.send(0).bytes(0, 10));
            t.received(wrId, 10);
          }
        });
    droppedWrites();
  }

  private void droppedWrites() {
    for (long offset : new long[] {Subject.HALF, Long.MAX_VALUE, -Subject.HALF - 1}) {
      dropped("AT_%X".formatted(offset), t -> write(t, t.subject.va(0) + offset, 8));
    }
    for (long va : new long[] {-8, -1}) {
      dropped("AT_VA_%X".formatted(va), t -> write(t, va, 8));
    }
    dropped("OF_9", t -> write(t, t.subject.va(0), 9));
    dropped("OF_2G", t -> write(t, t.subject.va(0), (1L << 31) + 1));
  }

  private static PacketDraft write(Talk t, long va, long length) {
    return t.peer.writeImmediate(0, va, t.subject.rkey(), length, 1).bytes(0, 8);
  }

  private void dropped(String id, Function<Talk, PacketDraft> write) {
    uc(
        "WRITE_" + id,
        Rule.UC,
        "a WRITE outside the region, or whose lengths disagree, is dropped, Immediate and all",
        t -> {
          t.subject.receive(1, 0);
          t.d.says(write.apply(t));
          t.nothingReceived();
          t.nothingLanded();
          t.isIn(QpState.RTS);
        });
  }

  private void datagrams() {
    for (int pad : new int[] {1, 3}) {
      ud("PAD_" + pad, 200, "a wrong pad", t -> t.datagrams.send(0).bytes(0, 4).pad(pad));
    }
    for (int bytes : new int[] {0, 39, 49}) {
      ud("BUFFER_" + bytes, bytes, "too small a buffer", t -> t.datagrams.send(0).bytes(0, 10));
    }
    for (int key : new int[] {0x1235, 0, 0x80001234, 0x92340000}) {
      ud("Q_KEY_%X".formatted(key), 200, "another Q_Key", t -> t.datagrams.send(0, key));
    }
    for (int key : new int[] {0x8001, 0x0001, 0xfffe, 0x7ffe, 0x8000, 0}) {
      ud("P_KEY_%X".formatted(key), 200, "a foreign P_Key", t -> t.datagrams.send(0).pkey(key));
    }
    add(
        "UD-RECEIVES",
        Rule.UD,
        "a datagram is taken, whatever its PSN, with 40 bytes before it",
        SubjectSetup.ud(),
        t -> {
          t.subject.receive(1, 200);
          t.subject.receive(2, 200);
          t.d.says(t.datagrams.send(0).bytes(0, 10));
          t.received(1, WcStatus.SUCCESS);
          t.d.says(t.datagrams.send(77).bytes(0, 10));
          t.received(2, WcStatus.SUCCESS);
          t.d.hearsNothing();
        });
    add(
        "UD-Q_KEY",
        Rule.UD,
        "a datagram with a wrong Q_Key is dropped silently",
        SubjectSetup.ud(),
        t -> {
          t.subject.receive(1, 200);
          t.d.says(t.datagrams.send(0, 0x4321).bytes(0, 10));
          t.nothingReceived();
          t.d.says(t.datagrams.send(1).bytes(0, 10));
          t.received(1, WcStatus.SUCCESS);
        });
    add(
        "UD-SMALL_BUFFER",
        Rule.UD,
        "a datagram that does not fit behind the 40 bytes is dropped and keeps its request",
        SubjectSetup.ud(),
        t -> {
          t.subject.receive(1, 48);
          t.d.says(t.datagrams.send(0).bytes(0, 12));
          t.nothingReceived();
          t.d.says(t.datagrams.send(1).bytes(0, 8));
          t.received(1, WcStatus.SUCCESS);
        });
    add(
        "UD-OTHER_SERVICE",
        Rule.PACKET_CHECKS,
        "a packet of a connection for a datagram queue pair is dropped silently",
        SubjectSetup.ud(),
        t -> {
          t.subject.receive(1, 200);
          t.d.says(t.peer.send(0).bytes(0, 10).ackReq());
          t.nothingReceived();
        });
  }

  /** A datagram that is dropped silently and leaves the receive request where it is. */
  private void ud(String id, int buffer, String title, Function<Talk, PacketDraft> datagram) {
    all.add(
        new WireDialogue(
                "DLG-UD-" + id,
                Rule.UD,
                title + ": the datagram is dropped, the request stays",
                SubjectSetup.ud(),
                t -> {
                  t.subject.receive(1, buffer);
                  t.d.says(datagram.apply(t));
                  t.nothingReceived();
                  t.nothingLanded();
                  t.subject.move(QpState.ERR);
                  t.received(1, WcStatus.WR_FLUSH_ERR);
                })
            .ours());
  }
}
