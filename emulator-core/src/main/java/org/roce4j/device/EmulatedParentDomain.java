package org.roce4j.device;

import org.roce4j.engine.memory.Domain;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RequiredArgument;

/**
 * A parent domain. It counts as a user of its protection domain, like that domain's other members.
 */
final class EmulatedParentDomain extends EmulatedProtectionDomain {
  private final EmulatedDomain beneath;
  private final EmulatedThreadDomain thread;

  private EmulatedParentDomain(EmulatedDomain beneath, EmulatedThreadDomain thread) {
    super(beneath.objects, ObjectKind.PARENT_DOMAIN, new Domain(beneath.domain));
    this.beneath = beneath;
    this.thread = thread;
  }

  /** Checks the attributes, then creates. For the owner of all engines. */
  static EmulatedParentDomain create(ContextObjects objects, ParentDomainInitAttr attr) {
    if (!(attr.pd() instanceof EmulatedDomain pd && pd.objects == objects)) {
      throw RequiredArgument.foreign(attr.pd(), "pd");
    }
    if (pd instanceof EmulatedParentDomain) {
      throw Errno.EINVAL.refusal(
          "pd is a parent domain itself: give the protection domain beneath");
    }
    pd.requireOpen();
    EmulatedThreadDomain thread =
        attr.td() == null ? null : EmulatedThreadDomain.check(objects, attr.td());
    return new EmulatedParentDomain(pd, thread);
  }

  @Override
  public ProtectionDomain beneath() {
    return beneath;
  }

  @Override
  void enter() {
    beneath.domain.joined();
    if (thread != null) {
      thread.joined();
    }
  }

  @Override
  boolean uses(EmulatedObject other) {
    return super.uses(other) || other == thread;
  }

  @Override
  void destroy() {
    checkDestroyable();
    beneath.domain.left();
    if (thread != null) {
      thread.left();
    }
  }
}
