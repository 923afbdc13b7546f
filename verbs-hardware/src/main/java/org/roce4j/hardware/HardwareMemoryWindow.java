package org.roce4j.hardware;

import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;

/** {@code struct ibv_mw}. */
final class HardwareMemoryWindow extends HardwareObject implements MemoryWindow {
  private final HardwareProtectionDomain pd;
  private final MwType type;

  HardwareMemoryWindow(HardwareProtectionDomain pd, long address, MwType type) {
    super(pd.context, address, Kind.MEMORY_WINDOW, ObjectStructures.mwHandle(address));
    this.pd = pd;
    this.type = type;
  }

  @Override
  int destroy(Frame frame) {
    return context.dataPath().deallocMw(frame, address);
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  @Override
  public MwType type() {
    return type;
  }

  @Override
  public int rkey() {
    return inside(() -> ObjectStructures.mwRkey(address));
  }
}
