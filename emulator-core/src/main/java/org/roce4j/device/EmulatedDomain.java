package org.roce4j.device;

import org.roce4j.engine.Limit;
import org.roce4j.engine.memory.Domain;
import org.roce4j.verbs.ProtectionDomain;

/** A protection domain as its members see it. */
abstract class EmulatedDomain extends EmulatedObject implements ProtectionDomain {
  final Domain domain;

  EmulatedDomain(ContextObjects objects, ObjectKind kind, Domain domain) {
    super(objects, kind);
    this.domain = domain;
  }

  @Override
  void enter() {
    device.counts().add(Limit.MAX_PD);
  }

  @Override
  boolean isUsed() {
    return domain.inUse();
  }

  @Override
  void destroy() {
    checkDestroyable();
    device.counts().remove(Limit.MAX_PD);
  }
}
