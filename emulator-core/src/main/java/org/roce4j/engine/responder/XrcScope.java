package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.queue.ReceiveQueue;

/**
 * An XRC domain as the engine knows it: an identity, and the shared receive queues in it, which its
 * target queue pairs find by the number that a packet bears.
 */
public final class XrcScope {
  private final XrcReceiverTable receivers;

  /** What a target queue pair has before its first message: nothing. */
  private final ReceiveSource nothing = new Nothing(new ReceiveQueue(1, 1), new Domain());

  private record Nothing(ReceiveQueue queue, Domain domain) implements ReceiveSource {
    @Override
    public boolean shared() {
      return true;
    }
  }

  /**
   * @param receivers all of the device
   */
  public XrcScope(XrcReceiverTable receivers) {
    this.receivers = receivers;
  }

  /** A source of no receive request. */
  public ReceiveSource nothing() {
    return nothing;
  }

  /** The shared receive queue of this domain with that number, or null. */
  XrcReceiver find(int number) {
    XrcReceiver receiver = receivers.find(number);
    return receiver != null && receiver.scope() == this ? receiver : null;
  }

  /** Why {@link #find} found none, for people. */
  String whyNone(int number) {
    return receivers.find(number) == null
        ? "no shared receive queue has the number 0x%x".formatted(number)
        : "the shared receive queue 0x%x is of another XRC domain".formatted(number);
  }
}
