package org.roce4j.device;

import java.util.HashMap;
import java.util.Map;
import org.roce4j.engine.responder.XrcReceiverTable;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.XrcdInitAttr;

/** The XRC domains of a device. Changed by the owner of all engines. */
final class XrcDomains {
  private final XrcReceiverTable receivers = new XrcReceiverTable();
  private final Map<Object, SharedXrcDomain> byFile = new HashMap<>();

  /** The shared receive queues of all domains. */
  XrcReceiverTable receivers() {
    return receivers;
  }

  /**
   * The domain named by a file, or a new one.
   *
   * @param file null: a domain without a name. A new domain keeps the file open; otherwise the
   *     caller closes it
   */
  SharedXrcDomain open(NamingFile file, int oflags) {
    boolean create = (oflags & XrcdInitAttr.O_CREAT) != 0;
    SharedXrcDomain there = file == null ? null : byFile.get(file.key());
    if (there == null && !create) {
      throw Errno.EAGAIN.refusal(
          "no XRC domain of this device is there to be opened: ask for O_CREAT. An emulated device"
              + " lives in one process, and a domain of another process cannot be shared");
    }
    if (there != null && (oflags & XrcdInitAttr.O_EXCL) != 0) {
      throw Errno.EINVAL.refusal(
          "the file names an XRC domain already, and O_EXCL asks for a new one");
    }
    return there != null ? there : new SharedXrcDomain(receivers, file);
  }

  /** Counts a new handle. */
  void joined(SharedXrcDomain domain) {
    boolean joined = false;
    try {
      if (domain.file() != null) {
        byFile.put(domain.file().key(), domain);
      }
      domain.opened();
      joined = true;
    } finally {
      if (!joined && domain.isClosed()) {
        byFile.remove(domain.file().key()); // memory ran out
      }
    }
  }

  /** Counts a closed handle. */
  void left(SharedXrcDomain domain) {
    if (domain.closed() && domain.file() != null) {
      byFile.remove(domain.file().key());
      domain.file().close();
    }
  }
}
