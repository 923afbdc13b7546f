package org.roce4j.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.UdPair;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.SilenceDetector;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;

/** Makes the devices of {@link EmulatedRdma} before each test and closes them after it. */
public final class EmulatedRdmaExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(EmulatedRdmaExtension.class);
  private static final String NETWORK = "network";
  private static final String SILENCE = "silence";
  private static final int BIND_ATTEMPTS = 5;

  /** Types that stand for one device. */
  private static final Set<Class<?>> DEVICES =
      Set.of(Context.class, RdmaDevice.class, EmulatedDevice.class, RdmaCm.class);

  private static final Set<Class<?>> PAIRS = Set.of(RcPair.class, UdPair.class);

  @Override
  public void beforeEach(ExtensionContext test) {
    EmulatedRdma wanted = annotation(test);
    Path directory = TestFiles.directoryOf(test);
    RequestedNetwork request = RequestedNetwork.of(wanted, seed(wanted), directory);
    TestFiles.prepare(directory);
    OpenedNetwork network = open(request);
    test.getStore(NAMESPACE).put(NETWORK, network);
    test.getStore(NAMESPACE)
        .put(
            SILENCE,
            new SilenceDetector(
                network.emulatedDevices(),
                Thread.currentThread(),
                line -> System.err.println("roce4j: " + TestFiles.nameOf(test) + ": " + line)));
  }

  private static OpenedNetwork open(RequestedNetwork request) {
    if (request.transport().equals(EmulatedRdma.FABRIC)) {
      return new FabricNetwork(request);
    }
    return atAFreePort(() -> new SocketNetwork(request));
  }

  /** Another program may have taken the port since it was found free. */
  static OpenedNetwork atAFreePort(Supplier<OpenedNetwork> opening) {
    for (int attempt = 1; ; attempt++) {
      try {
        return opening.get();
      } catch (VerbsException e) {
        if (e.errno() != Errno.EADDRINUSE || attempt == BIND_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  @Override
  public void afterEach(ExtensionContext test) {
    OpenedNetwork network = test.getStore(NAMESPACE).remove(NETWORK, OpenedNetwork.class);
    if (network == null) {
      return; // The network could not be created.
    }
    test.getStore(NAMESPACE).remove(SILENCE, SilenceDetector.class).close();
    Throwable failure =
        test.getExecutionException().filter(e -> !(e instanceof TestAbortedException)).orElse(null);
    boolean keep = failure != null || annotation(test).packets() == EmulatedRdma.Keep.ALWAYS;
    List<String> leftOpen;
    List<String> head = List.of();
    try (network) {
      leftOpen = failure == null ? network.leftOpen() : List.of();
      if (keep) {
        head = TestFiles.head(network, TestFiles.nameOf(test), failure);
        TestFiles.writeCounters(network, head);
      }
    }
    if (keep) {
      TestFiles.drawPackets(network.directory(), head);
    } else {
      TestFiles.discard(network.directory());
    }
    if (failure != null) {
      TestFiles.tellSearch(test, failure);
      tell(test, network);
    }
    if (!leftOpen.isEmpty()) {
      tellLeftOpen(test, leftOpen);
    }
  }

  private static void tellLeftOpen(ExtensionContext test, List<String> leftOpen) {
    String text =
        Wording.of(
            "%s left open:%n  %s%n",
            TestFiles.nameOf(test), String.join(System.lineSeparator() + "  ", leftOpen));
    if (annotation(test).leaks() == EmulatedRdma.Leaks.FAIL) {
      throw new AssertionError(text + "close them, or say leaks = TELL or IGNORE");
    }
    System.err.print("roce4j: " + text);
  }

  private static void tell(ExtensionContext test, OpenedNetwork network) {
    network.failedRequests().sentences().forEach(line -> System.err.println("roce4j: " + line));
    System.err.printf(
        Locale.ROOT,
        "roce4j: %s failed on %s with seed %d; repeat it with -Droce4j.seed=%d%n"
            + "roce4j: its packets and counters are in %s%n",
        TestFiles.nameOf(test),
        network.transport(),
        network.seed(),
        network.seed(),
        network.directory());
    test.publishReportEntry(
        Map.of(
            "roce4j.seed", Long.toString(network.seed()),
            "roce4j.directory", network.directory().toString()));
  }

  private static EmulatedRdma annotation(ExtensionContext test) {
    Optional<EmulatedRdma> found =
        AnnotationSupport.findAnnotation(test.getElement(), EmulatedRdma.class);
    Class<?> type = test.getRequiredTestClass();
    while (found.isEmpty() && type != null) {
      found = AnnotationSupport.findAnnotation(type, EmulatedRdma.class);
      type = type.getEnclosingClass();
    }
    return found.orElseThrow(
        () -> RequestedNetwork.refuse("register the extension by the annotation"));
  }

  private static long seed(EmulatedRdma wanted) {
    if (wanted.seed() != 0) {
      return wanted.seed();
    }
    String chosen = System.getProperty("roce4j.seed", System.getenv("ROCE4J_SEED"));
    try {
      return drawn(chosen == null || chosen.isEmpty() ? 0 : Long.decode(chosen));
    } catch (NumberFormatException e) {
      throw RequestedNetwork.refuse("roce4j.seed=" + chosen + ": give a whole number");
    }
  }

  /** A seed that is said, or for 0 any. */
  static long drawn(long seed) {
    return seed != 0 ? seed : 1 + new SecureRandom().nextInt(Integer.MAX_VALUE);
  }

  // ---- parameters

  /** Also what an annotation of this package marks by mistake, to say so. */
  @Override
  public boolean supportsParameter(ParameterContext context, ExtensionContext test) {
    return isGiven(context.getParameter())
        || Stream.of(Connected.class, OnDevice.class, Seed.class).anyMatch(context::isAnnotated);
  }

  private static boolean isGiven(Parameter parameter) {
    Class<?> type = parameter.getType();
    return DEVICES.contains(type)
        || PAIRS.contains(type)
        || type == EmulatedNetwork.class
        || type == FabricDevices.class
        || type == Fabric.class
        || (type == long.class && parameter.isAnnotationPresent(Seed.class))
        || (type == List.class
            && (element(parameter) == RdmaDevice.class || element(parameter) == Context.class));
  }

  /** Refuses an annotation that would mean nothing. */
  private static void checkAnnotations(ParameterContext context) {
    Parameter parameter = context.getParameter();
    Class<?> type = parameter.getType();
    checkAnnotation(context, Connected.class, PAIRS.contains(type), "an RcPair or UdPair");
    checkAnnotation(
        context, OnDevice.class, DEVICES.contains(type), "a Context, RdmaDevice or RdmaCm");
    checkAnnotation(context, Seed.class, type == long.class, "a long");
  }

  private static void checkAnnotation(
      ParameterContext context, Class<? extends Annotation> mark, boolean fits, String types) {
    if (context.isAnnotated(mark) && !fits) {
      throw new ParameterResolutionException(
          Wording.of(
              "@%s is for %s, not for '%s'", mark.getSimpleName(), types, context.getParameter()));
    }
  }

  private static Type element(Parameter parameter) {
    return parameter.getParameterizedType() instanceof ParameterizedType list
        ? list.getActualTypeArguments()[0]
        : null;
  }

  @Override
  public Object resolveParameter(ParameterContext context, ExtensionContext test) {
    OpenedNetwork network = test.getStore(NAMESPACE).get(NETWORK, OpenedNetwork.class);
    Parameter parameter = context.getParameter();
    if (network == null) {
      throw new ParameterResolutionException(
          "@EmulatedRdma makes devices for each test: take '"
              + parameter
              + "' in a test method, @BeforeEach or @AfterEach");
    }
    checkAnnotations(context);
    Class<?> type = parameter.getType();
    if (type == RdmaDevice.class || type == EmulatedDevice.class) {
      return network.device(device(context, network));
    }
    if (type == Context.class) {
      return network.open(device(context, network));
    }
    if (type == RdmaCm.class) {
      return network.closedAfterTheTest(RdmaCm.open(network.open(device(context, network))));
    }
    if (type == EmulatedNetwork.class) {
      return network;
    }
    if (type == long.class) {
      return network.seed();
    }
    if (type == List.class) {
      return element(parameter) == RdmaDevice.class
          ? network.devices()
          : IntStream.range(0, network.devices().size()).mapToObj(network::open).toList();
    }
    if (PAIRS.contains(type)) {
      return network.closedAfterTheTest(pair(context, network));
    }
    FabricDevices devices = fabric(network, parameter).fabricDevices();
    return type == FabricDevices.class ? devices : devices.fabric();
  }

  private static FabricNetwork fabric(OpenedNetwork network, Parameter parameter) {
    if (network instanceof FabricNetwork fabric) {
      return fabric;
    }
    throw new ParameterResolutionException(
        Wording.of(
            "there is no fabric on transport '%s'; use transport = \"fabric\" to take '%s'",
            network.transport(), parameter));
  }

  private static AutoCloseable pair(ParameterContext context, OpenedNetwork network) {
    Parameter parameter = context.getParameter();
    Connected wanted =
        context
            .findAnnotation(Connected.class)
            .orElseThrow(
                () -> new ParameterResolutionException("say @Connected in front of " + parameter));
    checkDevice(parameter, wanted.client(), network);
    checkDevice(parameter, wanted.server(), network);
    Context client = network.open(wanted.client());
    Context server = network.open(wanted.server());
    ConnectionOptions options =
        ConnectionOptions.DEFAULT
            .withMessageBytes(wanted.messageBytes())
            .withDepth(wanted.depth())
            .withAttributes(attr -> attr.timeout(wanted.ackTimeout()).retryCnt(wanted.retries()));
    ConnectionOptions atClient = options.withPortNum(wanted.clientPort());
    ConnectionOptions atServer = options.withPortNum(wanted.serverPort());
    return parameter.getType() == RcPair.class
        ? RcPair.connect(client, atClient, server, atServer)
        : UdPair.connect(client, atClient, server, atServer);
  }

  private static int checkDevice(Parameter parameter, int number, OpenedNetwork network) {
    if (number < 0) {
      throw new ParameterResolutionException(
          Wording.of("'%s' wants device %d: the first is 0", parameter, number));
    }
    if (number >= network.devices().size()) {
      throw new ParameterResolutionException(
          Wording.of(
              "'%s' wants device %d; @EmulatedRdma made %d: say devices = %d",
              parameter, number, network.devices().size(), number + 1));
    }
    return number;
  }

  /**
   * The number that the annotation gives, else the number of parameters of this type before this
   * one.
   */
  private static int device(ParameterContext context, OpenedNetwork network) {
    int number =
        context.findAnnotation(OnDevice.class).map(OnDevice::value).orElseGet(() -> nth(context));
    return checkDevice(context.getParameter(), number, network);
  }

  private static int nth(ParameterContext context) {
    Executable method = context.getDeclaringExecutable();
    int before = 0;
    for (int i = 0; i < context.getIndex(); i++) {
      Parameter other = method.getParameters()[i];
      if (other.getType() == context.getParameter().getType()
          && !other.isAnnotationPresent(OnDevice.class)) {
        before++;
      }
    }
    return before;
  }
}
