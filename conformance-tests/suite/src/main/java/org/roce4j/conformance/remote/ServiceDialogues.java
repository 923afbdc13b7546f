package org.roce4j.conformance.remote;

import static org.roce4j.conformance.remote.SubjectSetup.Attribute.QP_ACCESS;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** Unreliable connections and datagrams. */
final class ServiceDialogues {
  private static final int MTU = 256;

  private final List<WireDialogue> all = new ArrayList<>();

  private ServiceDialogues() {
    unreliable();
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

  private void datagrams() {
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
}
