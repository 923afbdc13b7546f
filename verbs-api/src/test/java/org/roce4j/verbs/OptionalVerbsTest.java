package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a backend says that implements only what it must. */
class OptionalVerbsTest {
  private static final RdmaDevice DEVICE = plain(RdmaDevice.class, Map.of("name", "plain0"));
  private static final Context CONTEXT = plain(Context.class, Map.of("device", DEVICE));
  private static final ProtectionDomain PD =
      plain(ProtectionDomain.class, Map.of("context", CONTEXT));
  private static final QueuePair QP = plain(QueuePair.class, Map.of("context", CONTEXT));
  private static final SharedReceiveQueue SRQ =
      plain(SharedReceiveQueue.class, Map.of("pd", PD, "handle", 3));

  private static <T> T plain(Class<T> type, Map<String, Object> answers) {
    InvocationHandler handler =
        (self, method, arguments) -> {
          if (!method.isDefault() || answers.containsKey(method.getName())) {
            return answers.get(method.getName());
          }
          try {
            return InvocationHandler.invokeDefault(self, method, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Arguments verb(String name, Executable call) {
    return Arguments.of(name, call);
  }

  static Stream<Arguments> verbs() {
    MemoryRegion mr = plain(MemoryRegion.class, Map.of());
    CompletionChannel channel = plain(CompletionChannel.class, Map.of());
    DeviceMemory memory = plain(DeviceMemory.class, Map.of());
    XrcDomain xrcd = plain(XrcDomain.class, Map.of());
    return Stream.of(
        verb("alloc_dm", () -> CONTEXT.allocDm(8, 0)),
        verb("alloc_td", CONTEXT::allocTd),
        verb("parent_domain", () -> CONTEXT.allocParentDomain(new ParentDomainInitAttr(PD))),
        verb("cmd_fd", CONTEXT::cmdFd),
        verb("import_pd", () -> CONTEXT.importPd(1)),
        verb("import_dm", () -> CONTEXT.importDm(1)),
        verb("open_xrcd", () -> CONTEXT.openXrcd(new XrcdInitAttr())),
        verb("create_srq_ex", () -> CONTEXT.createSrq(new SrqInitAttrEx())),
        verb("create_qp_ex", () -> CONTEXT.createQp(new QpInitAttr())),
        verb("open_qp", () -> CONTEXT.openQp(new QpOpenAttr(1, xrcd))),
        verb("create_cq_ex", () -> CONTEXT.createCqEx(new CqInitAttr())),
        verb("get_async_event", () -> CONTEXT.getAsyncEvent(1)),
        verb("async_fd", CONTEXT::asyncFd),
        verb("reg_dm_mr", () -> PD.registerDeviceMemory(memory, 0, 8, 0)),
        verb("reg_dmabuf_mr", () -> PD.registerDmabuf(0, 8, 0, 3, 0)),
        verb("alloc_null_mr", PD::allocNullMr),
        verb("advise_mr", () -> PD.adviseMr(Advice.PREFETCH, 0, List.of())),
        verb("import_mr", () -> PD.importMr(1)),
        verb("rereg_mr", () -> mr.reregister(null, null, 0)),
        verb("channel fd", channel::fd),
        verb("sq_sig_all", QP::sqSigAll),
        verb("modify_qp_rate_limit", () -> QP.modifyRateLimit(QpRateLimitAttr.NONE)),
        verb("query_ece", QP::queryEce),
        verb("set_ece", () -> QP.setEce(new Ece(1, 2))),
        verb("qp_to_qp_ex", QP::builder),
        verb("post_srq_ops", () -> SRQ.postOps(0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verbs")
  void aVerbThatADeviceLacksIsNotSupported(String name, Executable call) {
    refused(Errno.EOPNOTSUPP, call);
  }

  @Test
  void aDeviceIsAnInfiniBandAdapterThatPromisesNothingMore() {
    assertEquals(NodeType.CA, DEVICE.nodeType());
    assertEquals(TransportType.IB, DEVICE.transportType());
    assertFalse(QP.queryDataInOrder(WrOpcode.RDMA_WRITE, 0));
    assertEquals(SrqType.BASIC, SRQ.srqType());
    refused(Errno.EINVAL, SRQ::srqNum);
    assertEquals(
        ForkStatus.UNNEEDED, plain(VerbsProvider.class, Map.of("name", "plain")).forkStatus());
  }

  @Test
  void aFieldThatAQueueDoesNotTellAndADecoratorOfNothingAreRefused() {
    ExtendedCompletionQueue cq = plain(ExtendedCompletionQueue.class, Map.of());
    refused(Errno.EINVAL, cq::readFlowTag);
    Wrapper<Object> empty = () -> null;
    refused(Errno.EINVAL, () -> Wrapper.innermost((Object) empty));
  }

  @Test
  void anErrnoThatLinuxLacksIsAnInputOutputError() {
    QueuePair failing =
        plain(
            QueuePair.class,
            Map.ofEntries(
                Map.entry("context", CONTEXT),
                Map.entry("pd", PD),
                Map.entry("qpNum", 5),
                Map.entry("qpType", QpType.RC),
                Map.entry("state", QpState.RTS),
                Map.entry("postSend", 9999),
                Map.entry("postRecv", 9999),
                Map.entry("cap", new QpCapabilities(1, 1, 1, 1))));
    try (Arena arena = Arena.ofConfined()) {
      SendRequestList sends = new SendRequestList(arena, 1, 1, 0).add();
      RecvRequestList receives = new RecvRequestList(arena, 1, 1).add();
      refused(Errno.EIO, () -> failing.postSendOrThrow(sends));
      refused(Errno.EIO, () -> failing.postRecvOrThrow(receives));
    }
  }
}
