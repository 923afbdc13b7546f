package org.roce4j.device;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Progress;

/** Runs verbs at once and the engine never; a test says what else happens. */
class IdleProgress implements Progress {
  @Override
  public <T> T exclusively(Supplier<T> verb) {
    return verb.get();
  }

  @Override
  public void doorbell() {}

  @Override
  public void advance() {}

  @Override
  public long nowNs() {
    return 0;
  }

  @Override
  public boolean await(BooleanSupplier condition, long timeoutNs) {
    return condition.getAsBoolean();
  }
}
