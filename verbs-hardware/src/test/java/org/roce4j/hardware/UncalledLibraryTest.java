package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.hardware.bindings.DriverInJava;
import org.roce4j.hardware.bindings.Structures.IbvCompChannel;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.TransportType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Calls that are refused before a function of C is called: there is no library here, and the
 * structures are empty memory. The table of all calls is in the emulator's tests.
 */
@EnabledOnOs(OS.LINUX)
class UncalledLibraryTest {
  /** Arguments that may be null. */
  private static final Set<String> MAY_BE_NULL =
      Set.of("userContext", "hook", "channel", "newPd", "region");

  /** Queries of what an object was created with, which it answers after its destruction too. */
  private static final Set<String> TOLD_FOR_EVER =
      Set.of(
          "beneath",
          "context",
          "handle",
          "nativeHandle",
          "pd",
          "userContext",
          "attr",
          "channel",
          "accessFlags",
          "address",
          "iova",
          "length",
          "lkey",
          "memory",
          "type",
          "cap",
          "initAttr",
          "sqSigAll",
          "qpNum",
          "qpType",
          "recvCq",
          "sendCq",
          "srq",
          "srqType",
          "xrcd",
          "cq",
          "describe",
          "whyFailed",
          "whyRecvRefused",
          "whySendRefused");

  private static final Linker LINKER = Linker.nativeLinker();

  private final Arena arena = Arena.ofShared();
  private final SendRequestList sends = new SendRequestList(arena, 1, 1, 0).add();
  private final RecvRequestList receives = new RecvRequestList(arena, 1, 1).add();
  private final WorkCompletions completions = new WorkCompletions(arena, 1);
  private final Map<Class<?>, Object> objects = new LinkedHashMap<>();
  private HardwareContext context;
  private int descriptor;

  @BeforeEach
  void open() throws Throwable {
    descriptor = (int) link("eventfd", JAVA_INT, JAVA_INT).invokeExact(0, 0);
    long device = arena.allocate(8, 8).address();
    MemorySegment c = DriverInJava.doingNothing(arena);
    c.set(JAVA_LONG, IbvContext.DEVICE, device);
    c.set(JAVA_INT, IbvContext.CMD_FD, descriptor);
    c.set(JAVA_INT, IbvContext.ASYNC_FD, descriptor);
    c.set(JAVA_INT, IbvContext.NUM_COMP_VECTORS, 1);
    context =
        new HardwareContext(
            new HardwareDevice(null, "none", 0, -1, NodeType.CA, TransportType.IB),
            null,
            c.address(),
            device,
            Path.of("none"));
    make();
  }

  private void make() {
    HardwareProtectionDomain pd = new HardwareProtectionDomain(context, structure());
    MemorySegment channelStructure = MemorySegment.ofAddress(structure()).reinterpret(64);
    channelStructure.set(JAVA_INT, IbvCompChannel.FD, descriptor);
    HardwareCompletionChannel channel =
        new HardwareCompletionChannel(context, channelStructure.address());
    HardwareCompletionQueue cq = new HardwareCompletionQueue(context, structure(), null, channel);
    HardwareSharedReceiveQueue srq = new HardwareSharedReceiveQueue(pd, structure(), null);
    QpCapabilities cap = new QpCapabilities(1, 1, 1, 1);
    QpInitAttr created = new QpInitAttr().pd(pd).cq(cq).qpType(QpType.UD).cap(cap);
    objects.put(Context.class, context);
    objects.put(ProtectionDomain.class, pd);
    objects.put(CompletionChannel.class, channel);
    objects.put(CompletionQueue.class, cq);
    objects.put(SharedReceiveQueue.class, srq);
    HardwareQueuePair qp = new HardwareQueuePair(context, structure(), created);
    objects.put(QueuePair.class, qp);
    objects.put(WorkRequestBuilder.class, new HardwareWorkRequestBuilder(qp, structure(), -1));
    CqInitAttr extended = new CqInitAttr().cqe(1).wcFlags(WcExFlags.STANDARD);
    objects.put(
        ExtendedCompletionQueue.class,
        new HardwareExtendedCompletionQueue(context, structure(), extended, channel, false));
    objects.put(
        MemoryRegion.class,
        new HardwareMemoryRegion(pd, structure(), arena.allocate(4096, 4096), 0, 0));
    objects.put(XrcDomain.class, new HardwareXrcDomain(context, structure(), 1));
    objects.put(DeviceMemory.class, new HardwareDeviceMemory(context, structure(), 64));
    objects.put(ThreadDomain.class, new HardwareThreadDomain(context, structure()));
    objects.put(MemoryWindow.class, new HardwareMemoryWindow(pd, structure(), MwType.TYPE_1));
    objects.put(
        AddressHandle.class,
        new HardwareAddressHandle(pd, structure(), AhAttr.roce(Gid.ofIpv4(1), 0)));
  }

  /** A structure of C whose first field is its context. */
  private long structure() {
    MemorySegment structure = arena.allocate(256, 8);
    structure.set(JAVA_LONG, 0, context.address());
    return structure.address();
  }

  private static MethodHandle link(String name, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  @AfterEach
  void close() throws Throwable {
    int unused = (int) link("close", JAVA_INT).invokeExact(descriptor);
    arena.close();
  }

  // ---- the table

  static Stream<Method> verbs() {
    return Stream.of(
            Context.class,
            ProtectionDomain.class,
            CompletionChannel.class,
            CompletionQueue.class,
            ExtendedCompletionQueue.class,
            WorkRequestBuilder.class,
            SharedReceiveQueue.class,
            QueuePair.class,
            MemoryRegion.class,
            MemoryWindow.class,
            XrcDomain.class,
            DeviceMemory.class,
            ThreadDomain.class,
            AddressHandle.class)
        .flatMap(owner -> Arrays.stream(owner.getDeclaredMethods()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic());
  }

  static Stream<Arguments> nulls() {
    return verbs()
        .flatMap(
            verb ->
                IntStream.range(0, verb.getParameterCount())
                    .filter(i -> !verb.getParameters()[i].getType().isPrimitive())
                    .filter(i -> !MAY_BE_NULL.contains(verb.getParameters()[i].getName()))
                    .mapToObj(i -> Arguments.of(verb, i)));
  }

  private Object call(Method verb, Object[] arguments) throws Throwable {
    try {
      return verb.invoke(objects.get(verb.getDeclaringClass()), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object[] arguments(Method verb) {
    return Arrays.stream(verb.getParameters()).map(this::argument).toArray();
  }

  private Object argument(Parameter parameter) {
    Class<?> type = parameter.getType();
    Object object = objects.get(type);
    if (object != null) {
      return object;
    }
    return switch (type.getSimpleName()) {
      case "int" -> parameter.getName().matches("mask|index") ? 0 : 1;
      case "long" -> parameter.getName().equals("headerAt") ? 0L : 4096L;
      case "boolean" -> false;
      case "Object" -> "mine";
      case "Runnable" -> (Runnable) () -> {};
      case "MemorySegment" -> ((MemoryRegion) objects.get(MemoryRegion.class)).memory();
      case "SendRequestList" -> sends;
      case "RecvRequestList" -> receives;
      case "WorkCompletions" -> completions;
      case "MwType" -> MwType.TYPE_2;
      case "Gid" -> Gid.parse("239.1.2.3");
      case "CqInitAttr" -> new CqInitAttr();
      case "CqModeration" -> CqModeration.OFF;
      case "QpAttr" -> new QpAttr();
      case "SrqAttr" -> new SrqAttr(0, 0, 1);
      case "SrqInitAttr" -> new SrqInitAttr(1, 1);
      case "SrqInitAttrEx" -> new SrqInitAttrEx();
      case "ParentDomainInitAttr" -> new ParentDomainInitAttr(null);
      case "Advice" -> Advice.PREFETCH;
      case "List" -> List.of();
      case "WrOpcode" -> WrOpcode.SEND;
      case "Ece" -> new Ece(1, 2);
      case "QpRateLimitAttr" -> QpRateLimitAttr.NONE;
      case "XrcdInitAttr" -> new XrcdInitAttr();
      case "QpOpenAttr" -> new QpOpenAttr(1, null);
      case "AhAttr" -> AhAttr.roce(Gid.ofIpv4(1), 0);
      case "QpInitAttr" ->
          new QpInitAttr().cq((CompletionQueue) objects.get(CompletionQueue.class));
      default -> throw new IllegalStateException("no argument for " + parameter);
    };
  }

  // ---- refusals

  @ParameterizedTest(name = "{0}, argument {1}")
  @MethodSource("nulls")
  void namesTheArgumentThatIsNull(Method verb, int index) {
    Object[] arguments = arguments(verb);
    arguments[index] = null;
    VerbsException e = refused(Errno.EINVAL, () -> call(verb, arguments));
    String name = verb.getParameters()[index].getName();
    assertTrue(e.remedy().contains(name), () -> name + " is not in: " + e.remedy());
  }

  static Stream<Arguments> memories() {
    Set<Class<?>> withMemory =
        Set.of(
            MemorySegment.class,
            SendRequestList.class,
            RecvRequestList.class,
            WorkCompletions.class);
    return verbs()
        .filter(verb -> verb.getDeclaringClass() != WorkRequestBuilder.class) // BuilderCallsTest
        .filter(verb -> !verb.getName().matches(".*(Refused|OrThrow)")) // tell just that
        .flatMap(
            verb ->
                IntStream.range(0, verb.getParameterCount())
                    .filter(i -> withMemory.contains(verb.getParameters()[i].getType()))
                    .mapToObj(i -> Arguments.of(verb, i)));
  }

  /** C would read or write what lies there now. */
  @ParameterizedTest(name = "{0}, argument {1}")
  @MethodSource("memories")
  void givesNoMemoryThatWasFreedToC(Method verb, int index) throws Throwable {
    Object[] arguments = arguments(verb);
    try (Arena gone = Arena.ofShared()) {
      Object argument = arguments[index];
      arguments[index] =
          switch (argument) {
            case SendRequestList _ -> new SendRequestList(gone, 1, 1, 0).add();
            case RecvRequestList _ -> new RecvRequestList(gone, 1, 1).add();
            case WorkCompletions _ -> new WorkCompletions(gone, 1);
            default -> gone.allocate(4096);
          };
    }
    Set<Errno> errnos = Set.of(Errno.EINVAL, Errno.EFAULT);
    try {
      Object result = call(verb, arguments);
      int errno =
          result instanceof Long posted
              ? PostResult.errno(posted)
              : Math.abs(((Number) result).intValue());
      assertTrue(errnos.contains(Errno.of(errno)), result::toString);
    } catch (VerbsException e) {
      assertTrue(errnos.contains(e.errno()), e::toString);
    }
  }

  static Stream<Method> verbsOfObjects() {
    return verbs()
        .filter(verb -> verb.getDeclaringClass() != Context.class)
        .filter(verb -> verb.getDeclaringClass() != WorkRequestBuilder.class)
        .filter(verb -> !verb.getName().equals("createAhFromWc")); // asks the context first
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verbsOfObjects")
  void saysThatTheObjectIsGone(Method verb) {
    Object[] arguments = arguments(verb);
    ((HardwareObject) objects.get(verb.getDeclaringClass())).gate.shut();
    switch (verb.getName()) {
      case "close", "ackEvents" -> assertDoesNotThrow(() -> call(verb, arguments));
      case "endPoll" -> // no batch was started
          assertEquals(Errno.EINVAL, thrownBy(verb, arguments).errno());
      case "postSend", "postRecv", "poll", "startPoll", "nextPoll" -> {
        Number result = (Number) assertDoesNotThrow(() -> call(verb, arguments));
        int errno =
            result instanceof Long packed ? PostResult.errno(packed) : Math.abs(result.intValue());
        assertEquals(Errno.EINVAL.number(), errno);
      }
      default -> {
        boolean readAtCreation = verb.getName().equals("rkey") && isOf(verb, MemoryRegion.class);
        if (TOLD_FOR_EVER.contains(verb.getName()) || readAtCreation) {
          assertDoesNotThrow(() -> call(verb, arguments));
          return;
        }
        VerbsException e = thrownBy(verb, arguments);
        assertEquals(Errno.EINVAL, e.errno());
        assertTrue(e.remedy().contains("destroyed"), e.remedy());
      }
    }
  }

  private VerbsException thrownBy(Method verb, Object[] arguments) {
    return assertThrows(VerbsException.class, () -> call(verb, arguments));
  }

  static Stream<Method> readers() {
    return verbs()
        .filter(verb -> verb.getDeclaringClass() == ExtendedCompletionQueue.class)
        .filter(verb -> !verb.getName().matches("startPoll|nextPoll"));
  }

  /** The fields of a completion while there is none, and fields that the queue does not have. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("readers")
  void saysThatNothingIsRead(Method verb) {
    VerbsException e = thrownBy(verb, arguments(verb));
    boolean field = e.remedy().contains("created without") || e.errno() == Errno.EOPNOTSUPP;
    assertTrue(field || e.remedy().contains("startPoll"), e.remedy());
    ExtendedCompletionQueue cq =
        (ExtendedCompletionQueue) objects.get(ExtendedCompletionQueue.class);
    assertEquals(Errno.EINVAL.number(), cq.nextPoll());
  }

  static Stream<Method> steps() {
    return verbs()
        .filter(verb -> verb.getDeclaringClass() == WorkRequestBuilder.class)
        .filter(verb -> !verb.getName().matches("start|queuePair|whyRefused"))
        .filter(verb -> !isOfARegion(verb)); // asks the region first
  }

  private static boolean isOfARegion(Method verb) {
    return Arrays.asList(verb.getParameterTypes()).indexOf(MemoryRegion.class) == 0;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("steps")
  void saysThatStartComesFirst(Method verb) {
    VerbsException e = thrownBy(verb, arguments(verb));
    assertEquals(Errno.EINVAL, e.errno());
    assertTrue(e.remedy().contains("start"), e.remedy());
  }

  @Test
  void noBatchIsStartedOfAQueuePairThatIsGone() {
    WorkRequestBuilder wr = (WorkRequestBuilder) objects.get(WorkRequestBuilder.class);
    ((HardwareObject) objects.get(QueuePair.class)).gate.shut();
    for (int i = 0; i < 2; i++) { // nor does the attempt keep the turn
      invalid("destroyed", wr::start);
    }
    invalid("start", wr::completeOrThrow);
  }

  private static boolean isOf(Method verb, Class<?> owner) {
    return verb.getDeclaringClass() == owner;
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void refusesNegativeCountsAndTimes(long number) {
    CompletionChannel channel = (CompletionChannel) objects.get(CompletionChannel.class);
    CompletionQueue cq = (CompletionQueue) objects.get(CompletionQueue.class);
    invalid("timeoutNs", () -> channel.getCqEvent(number));
    int count = (int) Math.max(number, Integer.MIN_VALUE);
    invalid("count", () -> cq.ackEvents(count));
    assertEquals(-Errno.EINVAL.number(), cq.poll(completions, count));
  }

  static Stream<Arguments> missingAttributes() {
    QpAttr path = new QpAttr().ahAttr(new AhAttr(true, null, 0, 0, 0, 0, 1));
    QpAttr nowhere =
        new QpAttr().ahAttr(new AhAttr(true, new GlobalRoute(null, 0, 0, 0, 0), 0, 0, 0, 0, 1));
    return Stream.of(
        Arguments.of("qp_state", new QpAttr().qpState(null)),
        Arguments.of("cur_qp_state", new QpAttr().curQpState(null)),
        Arguments.of("path_mtu", new QpAttr().pathMtu(null)),
        Arguments.of("path_mig_state", new QpAttr().pathMigState(null)),
        Arguments.of("cap", new QpAttr().cap(null)),
        Arguments.of("ah_attr", new QpAttr().ahAttr(null)),
        Arguments.of("alt_ah_attr", new QpAttr().altAhAttr(null)),
        Arguments.of("grh", path),
        Arguments.of("dgid", nowhere));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("missingAttributes")
  void namesTheAttributeThatIsNull(String name, QpAttr attr) {
    QueuePair qp = (QueuePair) objects.get(QueuePair.class);
    invalid(name, () -> qp.modify(attr));
  }

  @Test
  void namesWhatAQueuePairCannotBeMadeWithout() {
    ProtectionDomain pd = (ProtectionDomain) objects.get(ProtectionDomain.class);
    CompletionQueue cq = (CompletionQueue) objects.get(CompletionQueue.class);
    invalid("cap", () -> pd.createQp(new QpInitAttr().cq(cq).cap(null)));
    invalid("qp_type", () -> pd.createQp(new QpInitAttr().cq(cq).qpType(null)));
    invalid("send_cq", () -> pd.createQp(new QpInitAttr().recvCq(cq)));
    invalid("recv_cq", () -> pd.createQp(new QpInitAttr().sendCq(cq)));
  }

  private static void invalid(String name, Executable call) {
    VerbsException e = refused(Errno.EINVAL, call);
    assertTrue(e.remedy().contains(name), () -> name + " is not in: " + e.remedy());
  }
}
