package org.roce4j.tools.cm;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** A peer that connects, takes three messages, and leaves, as Ctrl-C does. */
final class LeavingPeer implements AutoCloseable {
  private static final int MESSAGES = 3;
  private static final int LONGEST = 256;

  private final RdmaCm cm;
  private final Arena arena = Arena.ofShared();
  private CmId listener;
  private CmId id;

  LeavingPeer(Context context) {
    cm = RdmaCm.open(context);
  }

  LeavingPeer calls(String server, int port) {
    id = cm.createId(PortSpace.TCP);
    id.resolveAddr(null, new InetSocketAddress(server, port), 2000);
    id.resolveRoute(2000);
    prepare();
    id.connect(parameters());
    return this;
  }

  void listensAt(String address, int port) {
    listener = cm.createId(PortSpace.TCP);
    listener.bindAddr(new InetSocketAddress(address, port));
    listener.listen(1);
  }

  void accepts() {
    id = listener.getRequest();
    prepare();
    id.accept(parameters());
  }

  private static ConnParam parameters() {
    return new ConnParam().responderResources(1).initiatorDepth(1);
  }

  private void prepare() {
    id.createQp(null, new QpInitAttr().cap(new QpCapabilities(1, MESSAGES, 1, 1)));
    var mr = RdmaVerbs.regMsgs(id, arena.allocate(LONGEST));
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().sge(mr, 0, LONGEST);
      for (int i = 0; i < MESSAGES; i++) {
        id.qp().postRecvOrThrow(list);
      }
    }
  }

  void leaves() {
    id.disconnect();
  }

  @Override
  public void close() {
    arena.close();
  }
}
