package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.BuilderTurn;
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
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.ThreadTurn;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** Every object, attribute and event of the verbs has a readable {@code toString}. */
class PrintedTypesTest {
  /** Types that no program prints: interfaces for tests and backends, classes of static methods. */
  private static final Set<String> NOT_PRINTED =
      Set.of(
          "Explanation",
          "GlobalRouteHeader",
          "LegacyXrc",
          "ReceivedAddress",
          "RegisterableMemory",
          "ReregistrationException",
          "VerbsProvider",
          "CreatedQueuePair",
          "Wrapper");

  private final Map<String, String> expected = new TreeMap<>();
  private final Map<String, Object> objects = new TreeMap<>();

  private void row(Class<?> type, Object object, String pattern) {
    expected.put(type.getSimpleName(), pattern);
    objects.put(type.getSimpleName(), object);
  }

  private void rows(LiveObjects live) {
    live.objects().forEach((type, object) -> objects.put(type.getSimpleName(), object));
    expected.put(Context.class.getSimpleName(), "context of near");
    expected.put(RdmaDevice.class.getSimpleName(), "near");
    expected.put(ProtectionDomain.class.getSimpleName(), "protection domain \\d+ on near");
    expected.put(CompletionChannel.class.getSimpleName(), "completion channel \\d+ on near");
    expected.put(CompletionQueue.class.getSimpleName(), "CQ \\d+ on near");
    expected.put(ExtendedCompletionQueue.class.getSimpleName(), "CQ \\d+ on near");
    expected.put(
        MemoryRegion.class.getSimpleName(),
        "memory region \\d+ on near: 4096 bytes at 0x[0-9a-f]+, LOCAL_WRITE.*");
    expected.put(MemoryWindow.class.getSimpleName(), "memory window \\d+ on near");
    expected.put(AddressHandle.class.getSimpleName(), "address handle \\d+ on near");
    expected.put(SharedReceiveQueue.class.getSimpleName(), "SRQ \\d+ on near");
    expected.put(QueuePair.class.getSimpleName(), "QP 0x[0-9a-f]+ RC RTS on near");
    expected.put(
        WorkRequestBuilder.class.getSimpleName(), "work requests of QP 0x[0-9a-f]+ RC RTS on near");
    expected.put(DeviceMemory.class.getSimpleName(), "device memory \\d+ on near");
    expected.put(ThreadDomain.class.getSimpleName(), "thread domain \\d+ on near");
    expected.put(XrcDomain.class.getSimpleName(), "XRC domain \\d+ on near");
    expected.put(AsyncEvent.class.getSimpleName(), "PORT_\\w+ of port 1");
    attributes(live);
    row(live.sends.getClass(), live.sends, ".*RDMA_WRITE.*");
    row(live.receives.getClass(), live.receives, ".*wr_id.*|.*request.*");
    row(live.completions.getClass(), live.completions, "room for 16 completions");
  }

  private void attributes(LiveObjects live) {
    AhAttr path = live.path();
    row(AhAttr.class, path, "to ::ffff:\\S+ from GID 0 of port 1");
    row(path.grh().getClass(), path.grh(), "to ::ffff:\\S+ from GID 0");
    row(BuilderTurn.class, new BuilderTurn(QpType.RC, 0), "nobody builds");
    row(ThreadTurn.class, new ThreadTurn(), "nobody");
    row(Gid.class, Gid.parse("fd00::1"), "fd00:0:0:0:0:0:0:1");
    Object entry = live.context.queryGidEx(1, 0);
    row(entry.getClass(), entry, "GID 0 of port 1: ::ffff:\\S+, ROCE_V2");
    row(live.context.queryPort(1).getClass(), live.context.queryPort(1), "port ACTIVE, .*ETHERNET");
    Object device = live.context.queryDevice();
    row(device.getClass(), device, "at most \\d+ queue pairs of .* entries");
    Object extended = live.context.queryDeviceEx();
    row(extended.getClass(), extended, "at most .*; clock of 1000000 kHz, .*");
    row(
        QpCapabilities.class,
        new QpCapabilities(4, 5, 2, 1, 64),
        "4 sends of 2 elements, 5 receives of 1, 64 bytes inline");
    row(QpInitAttr.class, live.init(), "RC with sendCq CQ .* sends of 2 elements.*");
    row(QpAttr.class, new QpAttr().qpState(QpState.RTS).timeout(14), "qpState=RTS, timeout=14");
    row(QpRateLimitAttr.class, new QpRateLimitAttr(8, 9, 0), "8 kbit/s in bursts of 9 bytes");
    row(QpOpenAttr.class, new QpOpenAttr(0x11, null, QpType.XRC_RECV, null), "QP 0x11 XRC_RECV .*");
    row(CqInitAttr.class, new CqInitAttr().cqe(7), ".*7.*");
    row(CqModeration.class, new CqModeration(4, 16), "an event after 4 completions or 16 us");
    row(Ece.class, new Ece(0x15b3, 3), "vendor 0x15b3, options 0x3");
    row(Sge.class, new Sge(0x1000, 8, 0x11), "8 bytes at 0x1000 of lkey 0x11");
    row(
        ParentDomainInitAttr.class,
        new ParentDomainInitAttr(live.pd),
        "protection domain \\d+ on near, of any thread");
    row(SrqAttr.class, new SrqAttr(8, 2, 3), "8 requests of 2 elements, limit 3");
    row(SrqInitAttr.class, new SrqInitAttr(8, 2), "8 requests of 2 elements");
    row(SrqInitAttrEx.class, new SrqInitAttrEx().pd(live.pd), "BASIC of protection domain .*");
    row(XrcdInitAttr.class, new XrcdInitAttr(), "a domain of this context alone");
    row(
        VerbsException.class,
        new VerbsException(Errno.EINVAL, "give another"),
        ".*EINVAL: give another");
  }

  @Test
  void everyTypePrintsItself() {
    try (LiveObjects live = new LiveObjects()) {
      rows(live);
      expected.forEach(
          (type, pattern) -> {
            String text = objects.get(type).toString();
            assertTrue(text.matches("(?s)" + pattern), type + " prints '" + text + "'");
          });
    }
    assertEquals(printed(), new TreeSet<>(expected.keySet()));
  }

  /** A record field that is no value type is printed as class and address. */
  @Test
  void optionsAreValues() {
    assertEquals(
        "messages of at most 4096 bytes, 16 receives, port 1, GID 0, path MTU of the port, PT10S",
        ConnectionOptions.DEFAULT.toString());
  }

  @Test
  void whatAProgramClosesPrintsItself() {
    Set<String> silent = new TreeSet<>();
    Set<String> packages =
        Stream.of("connect", "verbs", "verbs.cm", "junit", "emulator", "fabric")
            .map("org.roce4j."::concat)
            .collect(Collectors.toSet());
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(packages)) {
      Set<JavaModifier> is = type.getModifiers();
      if (packages.contains(type.getPackageName())
          && type.isTopLevelClass()
          && is.contains(JavaModifier.PUBLIC)
          && !is.contains(JavaModifier.ABSTRACT)
          && type.isAssignableTo(AutoCloseable.class)
          && type.tryGetMethod("toString").isEmpty()) {
        silent.add(type.getName());
      }
    }
    assertEquals(Set.of(), silent);
  }

  /** The public types whose objects a program holds. */
  private static Set<String> printed() {
    Set<String> all = new TreeSet<>();
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.roce4j.verbs")) {
      boolean mine =
          type.getPackageName().equals("org.roce4j.verbs")
              && type.getModifiers().contains(JavaModifier.PUBLIC)
              && !type.isEnum()
              && !type.isAnnotation()
              && type.isTopLevelClass();
      boolean held =
          type.isInterface()
              || type.getConstructors().stream()
                  .anyMatch(c -> c.getModifiers().contains(JavaModifier.PUBLIC));
      if (mine && held && !NOT_PRINTED.contains(type.getSimpleName())) {
        all.add(type.getSimpleName());
      }
    }
    return all;
  }
}
