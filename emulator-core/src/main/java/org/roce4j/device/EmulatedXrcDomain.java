package org.roce4j.device;

import java.nio.file.Path;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** An application's handle of an XRC domain. */
final class EmulatedXrcDomain extends EmulatedObject implements XrcDomain {
  private final SharedXrcDomain shared;

  /**
   * The number of shared receive queues and target queue pairs created or opened with this handle.
   */
  private int users;

  private EmulatedXrcDomain(ContextObjects objects, SharedXrcDomain shared) {
    super(objects, ObjectKind.XRC_DOMAIN);
    this.shared = shared;
  }

  static EmulatedXrcDomain open(ContextObjects objects, XrcdInitAttr attr) {
    if ((attr.oflags() & ~(XrcdInitAttr.O_CREAT | XrcdInitAttr.O_EXCL)) != 0) {
      throw Errno.EINVAL.refusal("oflags must be 0 or O_CREAT, and O_EXCL, not 0%o", attr.oflags());
    }
    Path path = attr.file();
    NamingFile file = path == null ? null : NamingFile.of(path);
    EmulatedXrcDomain opened = null;
    try {
      opened =
          objects.create(
              () ->
                  new EmulatedXrcDomain(
                      objects, objects.device().xrcDomains().open(file, attr.oflags())));
      return opened;
    } finally {
      if (file != null && (opened == null || opened.shared.file() != file)) {
        file.close();
      }
    }
  }

  /** Checks the domain that a caller names for a new object of a context. */
  static EmulatedXrcDomain check(ContextObjects objects, XrcDomain named) {
    if (!(named instanceof EmulatedXrcDomain own && own.objects == objects)) {
      throw RequiredArgument.foreign(named, "xrcd");
    }
    own.requireOpen();
    return own;
  }

  @Override
  void enter() {
    device.xrcDomains().joined(shared);
  }

  SharedXrcDomain shared() {
    return shared;
  }

  void joined() {
    users++;
  }

  void left() {
    users--;
  }

  @Override
  public String toString() {
    return describe();
  }

  @Override
  boolean isUsed() {
    return users > 0;
  }

  @Override
  void destroy() {
    checkDestroyable();
    device.xrcDomains().left(shared);
  }
}
