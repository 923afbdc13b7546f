package org.roce4j.device;

import org.roce4j.engine.Limit;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;

final class EmulatedMemoryWindow extends EmulatedObject implements MemoryWindow {
  private final EmulatedDomain pd;
  private final MwType type;

  /** Set by {@link #enter}. */
  private Window window;

  EmulatedMemoryWindow(EmulatedDomain pd, MwType type) {
    super(pd.objects, ObjectKind.MEMORY_WINDOW);
    this.pd = pd;
    this.type = type;
  }

  @Override
  void enter() {
    window = device.keys().allocate(pd.domain, type);
    if (window == null) {
      throw ObjectCounts.reached(Limit.MAX_MW, device.limit(Limit.MAX_MW));
    }
    pd.domain.joined();
  }

  Window window() {
    return window;
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  @Override
  public MwType type() {
    return type;
  }

  /** A type 1 window gets its new key when the bind is posted. */
  @Override
  public int rkey() {
    return type == MwType.TYPE_1 ? window.queuedKey() : window.value();
  }

  @Override
  boolean uses(EmulatedObject other) {
    return super.uses(other)
        || other instanceof EmulatedMemoryRegion to && window.isBoundTo(to.region());
  }

  @Override
  void destroy() {
    device.keys().remove(window);
    pd.domain.left();
  }
}
