package org.roce4j.device;

import org.roce4j.engine.Limit;
import org.roce4j.engine.memory.Domain;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.VerbsException;

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
  void checkDestroyable() {
    if (domain.inUse()) {
      throw new VerbsException(
          Errno.EBUSY,
          "regions, windows, queue pairs, shared receive queues or address handles of this"
              + " protection domain still exist; close them first");
    }
  }

  @Override
  void destroy() {
    checkDestroyable();
    device.counts().remove(Limit.MAX_PD);
  }
}
