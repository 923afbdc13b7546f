package org.roce4j.engine.requester;

import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/** LOCAL_INV and BIND_MW: requests that never leave the device (rc-transport 6.5). */
final class LocalOperation {
  private LocalOperation() {}

  /** The reason for the failure of {@link #run}, for messages. */
  static String why(SendSide side, int slot) {
    SendQueue queue = side.queue();
    return queue.opcode(slot) == WrOpcode.LOCAL_INV
        ? Wording.of(
            "key 0x%x is of no type 2 window that is bound on this queue pair",
            queue.immediate(slot))
        : queue
            .window(slot)
            .whyNotBound(
                queue.region(slot),
                queue.remoteAddress(slot),
                queue.compareAdd(slot),
                (int) queue.swap(slot),
                side.accessor());
  }

  static WcStatus run(SendSide side, int slot) {
    SendQueue queue = side.queue();
    if (queue.opcode(slot) == WrOpcode.LOCAL_INV) {
      return side.keys().invalidate(queue.immediate(slot), side.accessor())
          ? WcStatus.SUCCESS
          : WcStatus.LOC_QP_OP_ERR;
    }
    return queue
            .window(slot)
            .bind(
                queue.rkey(slot),
                queue.region(slot),
                queue.remoteAddress(slot),
                queue.compareAdd(slot),
                (int) queue.swap(slot),
                side.accessor())
        ? WcStatus.SUCCESS
        : WcStatus.MW_BIND_ERR;
  }
}
