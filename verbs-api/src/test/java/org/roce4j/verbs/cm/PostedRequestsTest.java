package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/** What each helper of rdma_verbs.h posts, field by field. */
class PostedRequestsTest {
  private static final int INLINE = SendFlags.INLINE | SendFlags.SIGNALED;
  private static final Sge FIRST = new Sge(0x1000, 10, 1);
  private static final Sge SECOND = new Sge(0x2000, 20, 2);

  @AutoClose private final Arena arena = Arena.ofConfined();
  private final MemorySegment bytes = arena.allocate(16, 8);
  private final LoopbackProvider provider = new LoopbackProvider();
  private final RdmaCm cm = RdmaCm.open(provider.context);
  private final CmId id = cm.createEventChannel().createId(PortSpace.TCP);

  @BeforeEach
  void bind() {
    id.resolveAddr(null, new InetSocketAddress("127.0.0.1", 7471), 2000);
    id.channel().getCmEvent(0).ack();
  }

  @AfterEach
  void close() {
    cm.close();
  }

  private void queuePair() {
    id.createQp(null, new QpInitAttr().cap(new QpCapabilities(4, 4, 4, 4, 16)));
  }

  private MemorySegment posted() {
    return provider.verbs.posted.getLast();
  }

  private void isSent(WrOpcode opcode, int flags, Sge... elements) {
    MemorySegment wr = posted();
    assertEquals(7, SendWrLayout.wrId(wr, 0));
    assertEquals(opcode.value(), SendWrLayout.opcode(wr, 0));
    assertEquals(flags, SendWrLayout.sendFlags(wr, 0));
    elements(wr, SendWrLayout.sgList(wr, 0), SendWrLayout.numSge(wr, 0), elements);
  }

  private static void elements(MemorySegment list, long address, int count, Sge... expected) {
    assertEquals(expected.length, count);
    for (int i = 0; i < count; i++) {
      long at = address - list.address() + (long) i * SgeLayout.SIZE;
      Sge element =
          new Sge(SgeLayout.addr(list, at), SgeLayout.length(list, at), SgeLayout.lkey(list, at));
      assertEquals(expected[i], element);
    }
  }

  private Sge inlined() {
    return new Sge(bytes.address(), 16, 0);
  }

  private Sge nothing() {
    return new Sge(bytes.address(), 0, 0);
  }

  private void isRemote(long address, int rkey) {
    assertEquals(address, SendWrLayout.rdmaRemoteAddr(posted(), 0));
    assertEquals(rkey, SendWrLayout.rdmaRkey(posted(), 0));
  }

  @Test
  void nothingWithoutAQueuePair() {
    String told = refused(Errno.EINVAL, () -> RdmaVerbs.postSendv(id, 7, 0, FIRST)).remedy();
    assertEquals(id + " has no queue pair", told);
    assertEquals(told, refused(Errno.EINVAL, () -> RdmaVerbs.postRecvv(id, 7, FIRST)).remedy());
    refused(Errno.EINVAL, () -> RdmaVerbs.postUdSend(id, 7, bytes.asSlice(0, 0), null, 0, null, 1));
  }

  @Test
  void sends() {
    queuePair();
    RdmaVerbs.postSendv(id, 7, SendFlags.SIGNALED, FIRST, SECOND);
    isSent(WrOpcode.SEND, SendFlags.SIGNALED, FIRST, SECOND);
    RdmaVerbs.postSend(id, 7, bytes, null, INLINE);
    isSent(WrOpcode.SEND, INLINE, inlined());
    refused(Errno.EINVAL, () -> RdmaVerbs.postSend(id, 7, bytes, null, SendFlags.SIGNALED));
    refused(Errno.EINVAL, () -> RdmaVerbs.postSendv(id, 7, 0, FIRST, null));
  }

  @Test
  void reads() {
    queuePair();
    RdmaVerbs.postReadv(id, 7, 0, 0x5000, 0x55, FIRST, SECOND);
    isSent(WrOpcode.RDMA_READ, 0, FIRST, SECOND);
    isRemote(0x5000, 0x55);
    RdmaVerbs.postRead(id, 7, bytes.asSlice(0, 0), null, 0, 0x6000, 0x66);
    isSent(WrOpcode.RDMA_READ, 0, nothing());
    isRemote(0x6000, 0x66);
  }

  @Test
  void writes() {
    queuePair();
    RdmaVerbs.postWritev(id, 7, 0, 0x5000, 0x55, FIRST, SECOND);
    isSent(WrOpcode.RDMA_WRITE, 0, FIRST, SECOND);
    isRemote(0x5000, 0x55);
    RdmaVerbs.postWrite(id, 7, bytes, null, INLINE, 0x6000, 0x66);
    isSent(WrOpcode.RDMA_WRITE, INLINE, inlined());
    isRemote(0x6000, 0x66);
  }

  @Test
  void datagrams() {
    queuePair();
    AddressHandle handle =
        (AddressHandle)
            Proxy.newProxyInstance(
                AddressHandle.class.getClassLoader(),
                new Class<?>[] {AddressHandle.class},
                (_, method, _) -> method.getName().equals("nativeHandle") ? (Object) 0x77L : null);
    RdmaVerbs.postUdSend(id, 7, bytes, null, INLINE, handle, 0x88);
    isSent(WrOpcode.SEND, INLINE, inlined());
    assertEquals(0x77, SendWrLayout.udAh(posted(), 0));
    assertEquals(0x88, SendWrLayout.udRemoteQpn(posted(), 0));
    assertEquals(UdParam.QKEY, SendWrLayout.udRemoteQkey(posted(), 0));
    refused(Errno.EINVAL, () -> RdmaVerbs.postUdSend(id, 7, bytes, null, INLINE, null, 0x88));
  }

  @Test
  void receives() {
    refused(Errno.EINVAL, () -> RdmaVerbs.postRecvv(id, 7, FIRST));
    queuePair();
    RdmaVerbs.postRecvv(id, 7, FIRST, SECOND);
    isReceived(id.qp().toString(), FIRST, SECOND);
    RdmaVerbs.postRecv(id, 7, bytes.asSlice(0, 0), null);
    isReceived(id.qp().toString(), nothing());
    refused(Errno.EINVAL, () -> RdmaVerbs.postRecvv(id, 7, FIRST, null));
  }

  /** Only inline data is read by the address that it has in this process. */
  @Test
  void whatTheDeviceWritesIsAddressedAsItsRegionSays() {
    queuePair();
    MemoryRegion mr = PostedBuffersTest.region(bytes);
    Sge registered = new Sge(PostedBuffersTest.IOVA, 16, PostedBuffersTest.LKEY);
    RdmaVerbs.postRecv(id, 7, bytes, mr);
    isReceived(id.qp().toString(), registered);
    RdmaVerbs.postRead(id, 7, bytes, mr, 0, 0x6000, 0x66);
    isSent(WrOpcode.RDMA_READ, 0, registered);
  }

  @Test
  void receivesOfASharedQueue() {
    id.createSrq(null, new SrqInitAttr(4, 1));
    RdmaVerbs.postRecvv(id, 7, FIRST);
    isReceived(id.srq().toString(), FIRST);
    queuePair();
    RdmaVerbs.postRecvv(id, 7, SECOND);
    isReceived(id.srq().toString(), SECOND);
  }

  private void isReceived(String queue, Sge... elements) {
    MemorySegment wr = posted();
    String call = provider.verbs.calls.getLast();
    assertTrue(call.startsWith(queue + " postRecv"), call);
    assertEquals(7, RecvWrLayout.wrId(wr, 0));
    elements(wr, RecvWrLayout.sgList(wr, 0), RecvWrLayout.numSge(wr, 0), elements);
  }

  @Test
  void registersMemoryForWhatThePeerMayDo() {
    RdmaVerbs.regMsgs(id, bytes);
    isRegistered(AccessFlags.LOCAL_WRITE);
    RdmaVerbs.regRead(id, bytes);
    isRegistered(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
    RdmaVerbs.regWrite(id, bytes);
    isRegistered(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    CmId unbound = id.channel().createId(PortSpace.TCP);
    refused(Errno.EINVAL, () -> RdmaVerbs.regMsgs(unbound, bytes));
  }

  private void isRegistered(int access) {
    String call = provider.verbs.calls.getLast();
    assertTrue(call.contains(" registerMemory [") && call.endsWith(", " + access + "]"), call);
  }
}
