package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.device.Refusals;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** A request that the device refuses is told, and its buffer serves the next one. */
@Timeout(60)
class RefusedRequestsTest {
  private static final int DEPTH = 4;
  private static final String REFUSED = "refuse=ENOMEM call=postSend times=" + 3 * (DEPTH + 1);

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));

  private Context near(String faults) {
    return FaultyDevice.around(
            network.device("near", Gid.parse("10.0.0.1")),
            VerbsFaults.parse(faults),
            network.fabric()::nowNs)
        .open();
  }

  private RcPair pair(Context near) {
    Context far = network.device("far", Gid.parse("10.0.0.2")).open();
    return RcPair.connect(near, far, ConnectionOptions.DEFAULT.withDepth(DEPTH));
  }

  @Test
  void moreAreRefusedThanThereAreBuffers() {
    try (RcPair pair = pair(near(REFUSED))) {
      Connection client = pair.client();
      RemoteBuffer remote = pair.server().expose(Long.BYTES).key();
      for (int i = 0; i <= DEPTH; i++) {
        Refusals.refused(Errno.ENOMEM, () -> client.send("refused"));
        Refusals.refused(Errno.ENOMEM, () -> client.read(remote, 0, Long.BYTES));
        Refusals.refused(Errno.ENOMEM, () -> client.fetchAndAdd(remote, 0, 1));
      }
      client.send("taken");
      assertEquals("taken", pair.server().receiveString());
      assertEquals(0, client.fetchAndAdd(remote, 0, 1));
    }
  }

  /** The receives of the end are posted when it is made; each is posted again for a message. */
  @Test
  void aMessageWhoseBufferCannotBePostedAgainStaysTheNextOne() {
    int refused = 2 * DEPTH;
    String faults = "refuse=ENOMEM call=postRecv first=%d times=%d".formatted(DEPTH + 1, refused);
    try (RcPair pair = pair(near(faults))) {
      pair.server().send("hello");
      for (int i = 0; i < refused; i++) {
        Refusals.refused(Errno.ENOMEM, () -> pair.client().receive());
      }
      assertEquals("hello", pair.client().receiveString());
      for (int i = 0; i < 2 * DEPTH; i++) {
        pair.server().send("and " + i);
        assertEquals("and " + i, pair.client().receiveString());
      }
    }
  }
}
