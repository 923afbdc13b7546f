package org.roce4j.hardware;

import org.roce4j.hardware.bindings.Frame;
import org.roce4j.verbs.ThreadDomain;

/** {@code struct ibv_td}, which has no number. */
final class HardwareThreadDomain extends HardwareObject implements ThreadDomain {
  HardwareThreadDomain(HardwareContext context, long address) {
    super(context, address, Kind.THREAD_DOMAIN, (int) context.nextNumber());
  }

  @Override
  int destroy(Frame frame) {
    return context.memory().deallocTd(frame, address);
  }
}
