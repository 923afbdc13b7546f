package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Each function of C that a verb calls fails once, in each way and with each errno. The caller is
 * told that errno, and nothing has changed in C, in the objects, in the caller's memory or among
 * the open files. Then the verb succeeds.
 */
@EnabledOnOs(OS.LINUX)
class EveryFailureTest extends WholeDriverFixture {
  private static final List<Errno> ERRNOS =
      List.of(Errno.ENOMEM, Errno.EPERM, Errno.EINVAL, Errno.ENODATA, Errno.EOPNOTSUPP);
  private static final long LEAST_POINTER = 4096;
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final MethodHandle ERRNO =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("__errno_location"),
              FunctionDescriptor.of(ADDRESS));

  /** A verb. The test closes the object that it returns. */
  enum Call {
    ALLOC_PD(test -> test.context.allocPd()),
    ALLOC_TD(test -> test.context.allocTd()),
    ALLOC_PARENT(test -> test.context.allocParentDomain(new ParentDomainInitAttr(test.pd))),
    ALLOC_DM(test -> test.context.allocDm(8, 0)),
    CREATE_CHANNEL(test -> test.context.createCompletionChannel()),
    CREATE_CQ(test -> test.context.createCq(1)),
    CREATE_CQ_EX(
        test -> test.context.createCqEx(new CqInitAttr().cqe(1).wcFlags(WcExFlags.STANDARD))),
    OPEN_XRCD(test -> test.context.openXrcd(new XrcdInitAttr())),
    OPEN_XRCD_OF_A_FILE(test -> test.context.openXrcd(new XrcdInitAttr(test.file))),
    CREATE_SRQ(test -> test.pd.createSrq(new SrqInitAttr(4, 1))),
    CREATE_SRQ_OF_XRC(test -> test.context.createSrq(test.receivesOfXrc())),
    CREATE_QP(test -> test.queuePair(QpType.RC)),
    CREATE_XRC_SEND(test -> test.queuePair(QpType.XRC_SEND)),
    CREATE_XRC_RECV(test -> test.queuePair(QpType.XRC_RECV)),
    CREATE_QP_EX(test -> test.pd.createQp(test.initAttr(QpType.UD).createFlags(2))),
    OPEN_QP(test -> test.context.openQp(new QpOpenAttr(5, test.xrcd))),
    REGISTER(test -> test.pd.registerMemory(test.bytes, AccessFlags.LOCAL_WRITE)),
    REGISTER_DM(test -> test.pd.registerDeviceMemory(test.dm, 0, 8, AccessFlags.ZERO_BASED)),
    REGISTER_DMABUF(test -> test.pd.registerDmabuf(0, 8, 0, 9, 0)),
    ALLOC_NULL_MR(test -> test.pd.allocNullMr()),
    ALLOC_MW(test -> test.pd.allocMemoryWindow(MwType.TYPE_2)),
    CREATE_AH(test -> test.pd.createAh(AhAttr.roce(GROUP, 0))),
    IMPORT_PD(test -> test.context.importPd(1)),
    IMPORT_MR(test -> test.pd.importMr(1)),
    IMPORT_DM(test -> test.context.importDm(1)),
    QUERY_DEVICE(test -> test.done(test.context.queryDevice())),
    QUERY_PORT(test -> test.done(test.context.queryPort(1))),
    QUERY_GID(test -> test.done(test.context.queryGid(1, 0))),
    QUERY_GID_EX(test -> test.done(test.context.queryGidEx(1, 0))),
    QUERY_GID_TABLE(test -> test.done(test.context.queryGidTable())),
    PKEY_INDEX(test -> test.done(test.context.pkeyIndex(1, 7))),
    QUERY_PKEY(test -> test.done(test.context.queryPkey(1, 0))),
    QUERY_QP(test -> test.done(test.qp.query())),
    QUERY_SRQ(test -> test.done(test.srq.query())),
    QUERY_ECE(test -> test.done(test.qp.queryEce())),
    SET_ECE(test -> test.run(() -> test.qp.setEce(new Ece(1, 2)))),
    MODIFY_QP(test -> test.run(() -> test.qp.modify(new QpAttr().qpState(QpState.ERR)))),
    MODIFY_QP_WRONGLY(test -> test.run(() -> test.qp.modify(new QpAttr().qpState(QpState.RTS)))),
    MODIFY_SRQ(test -> test.run(() -> test.srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT))),
    MODIFY_CQ(test -> test.run(() -> test.cq.modify(new CqModeration(1, 1)))),
    MODIFY_RATE(test -> test.run(() -> test.qp.modifyRateLimit(QpRateLimitAttr.NONE))),
    RESIZE_CQ(test -> test.run(() -> test.cq.resize(4))),
    ARM(test -> test.run(() -> test.cq.requestNotification(false))),
    ATTACH(test -> test.run(() -> test.qp.attachMulticast(GROUP))),
    DETACH(test -> test.run(() -> test.qp.detachMulticast(GROUP))),
    ADVISE(test -> test.run(() -> test.pd.adviseMr(Advice.PREFETCH, 0, List.of()))),
    COPY_TO_DM(test -> test.run(() -> test.dm.copyTo(0, test.bytes))),
    COPY_FROM_DM(test -> test.run(() -> test.dm.copyFrom(test.bytes, 0))),
    REREGISTER(test -> test.run(() -> test.region.reregister(null, AccessFlags.LOCAL_WRITE))),
    GET_EVENT(test -> test.run(() -> assertNull(test.context.pollAsyncEvent()))),
    GET_CQ_EVENT(test -> test.run(() -> assertNull(test.channel.getCqEvent(0)))),
    POST_SEND(test -> test.posted(test.qp.postSend(test.sends.memory(), test.sends.address()))),
    POST_RECV(
        test -> test.posted(test.qp.postRecv(test.receives.memory(), test.receives.address()))),
    POST_SRQ_RECV(
        test -> test.posted(test.srq.postRecv(test.receives.memory(), test.receives.address()))),
    BIND(test -> test.run(() -> test.qp.bindMemoryWindow(test.window, 1, 0, test.region, 0, 0, 0)));

    private final Function<EveryFailureTest, AutoCloseable> verb;

    Call(Function<EveryFailureTest, AutoCloseable> verb) {
      this.verb = verb;
    }
  }

  @TempDir Path directory;
  private Path file;
  private QueuePair qp;
  private MemorySegment bytes;
  private SendRequestList sends;
  private RecvRequestList receives;

  /** The objects of C that were created and not destroyed. */
  private final Set<Long> live = new TreeSet<>();

  @BeforeEach
  void watch() throws IOException {
    file = Files.createFile(directory.resolve("xrcd"));
    qp = queuePair(QpType.UD);
    bytes = arena.allocate(8).fill((byte) 0x5a);
    sends = new SendRequestList(arena, 1, 1, 0).add().wrId(1).opcode(WrOpcode.SEND);
    receives = new RecvRequestList(arena, 1, 1).add().wrId(1);
    c.does("ibv_get_async_event", _ -> Errno.EAGAIN.number());
    c.does("ibv_get_cq_event", _ -> Errno.EAGAIN.number());
    c.intercepted(
        (name, function, arguments) -> counted(name, function.call(arguments), arguments));
  }

  private long counted(String name, long result, long[] arguments) {
    if (result >= LEAST_POINTER) {
      live.add(result);
    } else if (result == 0 && name.matches("(ibv_)?(de(alloc|stroy|reg)|unimport|free|close)_.*")) {
      live.remove(arguments[0]);
    }
    return result;
  }

  private AutoCloseable done(Object answer) {
    assertNotNull(answer);
    return () -> {};
  }

  private AutoCloseable run(Runnable verb) {
    verb.run();
    return () -> {};
  }

  private AutoCloseable posted(long result) {
    if (result != PostResult.OK) {
      throw new VerbsException(Errno.of(PostResult.errno(result)), "refused");
    }
    return () -> {};
  }

  @ParameterizedTest
  @EnumSource
  void isToldAndLeavesEverythingAsItWas(Call call) throws Exception {
    List<Object> before = everything();
    c.calls.clear();
    AutoCloseable made = call.verb.apply(this);
    made.close();
    List<String> calls = List.copyOf(c.calls);
    if (call != Call.COPY_FROM_DM && call != Call.REREGISTER) {
      assertEquals(before, everything());
    }
    bytes.fill((byte) 0x5a);
    for (int at = 0; at < calls.size(); at++) {
      if (calls.get(at).contains("unimport")) {
        continue; // returns nothing
      }
      for (Errno errno : ERRNOS) {
        for (boolean negative : new boolean[] {false, true}) {
          List<Object> now = everything();
          failsOnce(at, errno, negative);
          if (call == Call.QUERY_GID && errno == Errno.ENODATA) {
            assertEquals(Gid.ZERO, context.queryGid(1, 0)); // an empty entry
            continue;
          }
          refused(errno, () -> closed(call));
          assertEquals(now, everything(), () -> errno + " of " + c.calls);
        }
      }
    }
    call.verb.apply(this).close();
  }

  /** Destroys what the verb makes, a second time if the destruction is refused. */
  private void closed(Call call) throws Exception {
    AutoCloseable made = call.verb.apply(this);
    try {
      made.close();
    } catch (VerbsException e) {
      made.close();
      throw e;
    }
  }

  /** Makes the call of C with this number, counted from now on, fail and undo what it did. */
  private void failsOnce(int at, Errno errno, boolean negative) {
    c.calls.clear();
    int[] next = {0};
    c.intercepted(
        (name, function, arguments) -> {
          long result = function.call(arguments);
          if (next[0]++ != at) {
            return counted(name, result, arguments);
          }
          if (name.equals("_ibv_query_gid_table")) {
            return -errno.number();
          }
          boolean tellsNumber = DATA_PATH.containsKey(name) && result < LEAST_POINTER;
          if (result < LEAST_POINTER
              && (tellsNumber || !negative && !name.equals("ibv_rereg_mr"))) {
            return errno.number();
          }
          leave(errno);
          return result < LEAST_POINTER ? -1 : 0;
        });
  }

  /** Sets the {@code errno} of C for this thread. */
  static void leave(Errno errno) {
    try {
      ((MemorySegment) ERRNO.invokeExact())
          .reinterpret(Integer.BYTES)
          .set(JAVA_INT, 0, errno.number());
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private List<Object> everything() {
    return List.of(
        List.copyOf(live),
        Stream.of(pd, channel, cq, srq, xrcd, dm, region, window, qp)
            .map(Object::toString)
            .toList(),
        List.of(region.lkey(), region.memory(), region.pd(), cq.cqe()),
        Arrays.toString(bytes.toArray(JAVA_BYTE)),
        opened());
  }

  /** The number of open descriptors of the file. */
  private long opened() {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(each -> leadsTo(each, file)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean leadsTo(Path link, Path file) {
    try {
      return Files.readSymbolicLink(link).equals(file);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
