package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.cm.CmId;

/** A close that was interrupted while it waited is done by the next. */
class InterruptedCloseTest extends CmRig {
  @Test
  void whatAnInterruptedCloseLeftIsClosedByTheNext() {
    CmId id = routed("10.0.0.2");
    id.createSrq(null, new SrqInitAttr(4, 1));
    id.createQp(null, attr());
    id.qp().modify(new QpAttr().qpState(QpState.ERR), QpAttrMask.STATE);
    AsyncEvent last = clientDevice.getAsyncEvent();
    Thread.currentThread().interrupt();
    refused(Errno.EINTR, id::close);
    assertTrue(Thread.interrupted());
    last.ack();
    id.close();
    client.close();
  }
}
