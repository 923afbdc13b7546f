package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.verbs.text.Wording;

/**
 * An XRC domain in the engine: an identity, and the shared receive queues that its target queue
 * pairs find by the number in a packet.
 */
public final class XrcScope {
  private final XrcReceiverTable receivers;

  /** The receive source of a target queue pair before its first message: empty. */
  private final ReceiveSource nothing = new Nothing(new ReceiveQueue(1, 1), new Domain());

  private record Nothing(ReceiveQueue queue, Domain domain) implements ReceiveSource {
    @Override
    public boolean shared() {
      return true;
    }
  }

  /**
   * @param receivers the shared receive queues of the device
   */
  public XrcScope(XrcReceiverTable receivers) {
    this.receivers = receivers;
  }

  /** A source of no receive request. */
  public ReceiveSource nothing() {
    return nothing;
  }

  /** The shared receive queue of this domain with this number, or null. */
  XrcReceiver find(int number) {
    XrcReceiver receiver = receivers.find(number);
    return receiver != null && receiver.scope() == this ? receiver : null;
  }

  /** The reason why {@link #find} returned null, for messages. */
  String whyNone(int number) {
    return receivers.find(number) == null
        ? Wording.of("no shared receive queue has the number 0x%x", number)
        : Wording.of("the shared receive queue 0x%x is of another XRC domain", number);
  }
}
