package org.roce4j.device;

import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.ThreadDomain;

/** A thread domain, with the number of its parent domains. */
final class EmulatedThreadDomain extends EmulatedObject implements ThreadDomain {
  private int users;

  EmulatedThreadDomain(ContextObjects objects) {
    super(objects, ObjectKind.THREAD_DOMAIN);
  }

  /** Checks the thread domain that a caller names in a context. */
  static EmulatedThreadDomain check(ContextObjects objects, ThreadDomain named) {
    if (!(named instanceof EmulatedThreadDomain own && own.objects == objects)) {
      throw RequiredArgument.foreign(named, "td");
    }
    own.requireOpen();
    return own;
  }

  void joined() {
    users++;
  }

  void left() {
    users--;
  }

  @Override
  void enter() {}

  @Override
  boolean isUsed() {
    return users > 0;
  }

  @Override
  void destroy() {
    checkDestroyable();
  }
}
