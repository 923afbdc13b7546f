package org.roce4j.conformance.dialogue;

import org.junit.jupiter.api.AfterEach;

/**
 * What nearly every dialogue is made of: a queue pair, its script, what the peer says and what the
 * device is expected to say.
 */
abstract class DialogueFixture {
  QpUnderTest qp;
  Dialogue d;
  ConnectedPackets peer;
  ConnectedPackets here;

  /** Each dialogue begins with a setup of its own. */
  DialogueFixture() {}

  /** Dialogues begin with this queue pair in RTS, unless one begins anew. */
  DialogueFixture(QpSetup setup) {
    begin(setup);
  }

  /** A queue pair in RTS takes the place of the one before. */
  final void begin(QpSetup setup) {
    begin(setup.inRts());
  }

  /** That queue pair takes the place of the one before. */
  final void begin(QpUnderTest made) {
    close();
    qp = made;
    d = qp.dialogue;
    peer = qp.peer;
    here = qp.here;
  }

  @AfterEach
  void close() {
    if (qp != null) {
      qp.close();
    }
  }
}
