package org.roce4j.engine.device;

import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;

final class EmulatedMemoryWindow extends EmulatedObject implements MemoryWindow {
  private final EmulatedProtectionDomain pd;
  private final Window window;
  private int postedKey;

  EmulatedMemoryWindow(EmulatedProtectionDomain pd, Window window) {
    super(pd.context);
    this.pd = pd;
    this.window = window;
    postedKey = window.value();
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
    return window.type();
  }

  @Override
  public int rkey() {
    return window.type() == MwType.TYPE_1 ? postedKey : window.value();
  }

  /** A type 1 window has its new key as soon as the bind is posted. */
  void posted(int key) {
    postedKey = key;
  }

  @Override
  void destroy(boolean forced) {
    device.keys().remove(window);
    pd.domain().left();
  }
}
