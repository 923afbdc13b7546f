package org.roce4j.device;

import java.util.LinkedHashMap;
import java.util.Map;
import org.roce4j.engine.responder.XrcReceiver;
import org.roce4j.engine.responder.XrcReceiverTable;
import org.roce4j.engine.responder.XrcScope;

/**
 * An XRC domain, shared by the contexts that have opened it, with its target queue pairs by number.
 * Changed by the owner of all engines.
 */
final class SharedXrcDomain {
  private final XrcScope scope;
  private final NamingFile file;
  private final Map<Integer, XrcTarget> targets = new LinkedHashMap<>();
  private int handles;

  /**
   * @param file file that names it; null: none
   */
  SharedXrcDomain(XrcReceiverTable receivers, NamingFile file) {
    scope = new XrcScope(receivers);
    this.file = file;
  }

  XrcScope scope() {
    return scope;
  }

  NamingFile file() {
    return file;
  }

  void opened() {
    handles++;
  }

  /** Whether all handles are closed. */
  boolean isClosed() {
    return handles == 0;
  }

  /** Counts a closed handle. Returns whether it was the last one. */
  boolean closed() {
    return --handles == 0;
  }

  /** The target queue pair with a number; null if there is none. */
  XrcTarget target(int qpNum) {
    return targets.get(qpNum);
  }

  void add(XrcTarget target) {
    targets.put(target.machine().qpNum(), target);
  }

  void remove(XrcTarget target) {
    targets.remove(target.machine().qpNum());
  }

  /** A shared receive queue of the domain is destroyed: messages to it end in every target. */
  void receiverGone(XrcReceiver receiver) {
    targets.values().forEach(target -> target.machine().receiverGone(receiver));
  }
}
