package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** A wait for a completion event that cannot end logs once which step the program has forgotten. */
class HopelessWaitTest {
  private static final String UNUSED = "no completion queue uses this channel (CqInitAttr.channel)";
  private static final String UNARMED =
      "none of its completion queues is armed (requestNotification)";

  private final VerbsException hopeless = new VerbsException(Errno.ETIMEDOUT, "nobody is left");
  private VerbsException failure = hopeless;
  private final EmulatedContext context;
  private final CompletionChannel channel;
  private final CompletionChannel other;

  HopelessWaitTest() {
    Progress drive =
        new Progress.Idle() {
          @Override
          public boolean await(BooleanSupplier condition, long timeoutNs) {
            throw failure;
          }
        };
    Device device = LoneEngine.ofEngines(2, Gid.parse("10.0.0.1"));
    device.attach(PortControl.NONE, drive, Collections.nCopies(2, drive));
    context = EmulatedContext.open(device, () -> {});
    channel = context.createCompletionChannel();
    other = context.createCompletionChannel();
  }

  private VerbsException told() {
    return assertThrows(VerbsException.class, channel::getCqEvent);
  }

  private void assertTold(String silence) {
    VerbsException told = told();
    assertEquals(Errno.ETIMEDOUT, told.errno());
    assertEquals("nobody is left; " + silence, told.remedy());
    assertSame(hopeless, told.getCause());
  }

  @Test
  void ofTheQueuesOfItsOwnChannel() {
    CompletionQueue elsewhere = context.createCq(4, null, other, 0);
    elsewhere.requestNotification(false);
    assertTold(UNUSED);
    CompletionQueue one = context.createCq(4, null, channel, 0);
    assertTold(UNARMED);
    CompletionQueue two = context.createCq(4, null, channel, 1);
    assertTold(UNARMED);
    two.requestNotification(false);
    assertSame(hopeless, told(), "an armed queue can raise an event");
    two.close();
    assertTold(UNARMED);
    one.close();
    assertTold(UNUSED);
  }

  @Test
  void unlessItIsSaidAlreadyOrTheWaitFailedOtherwise() {
    failure = new VerbsException(Errno.ETIMEDOUT, "thread main waits: " + UNUSED);
    assertSame(failure, told());
    failure = new VerbsException(Errno.EIO, "the device has failed");
    assertSame(failure, told());
  }
}
