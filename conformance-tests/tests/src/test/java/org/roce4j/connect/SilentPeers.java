package org.roce4j.connect;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.roce4j.connect.InterruptedCall.Moment;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;

/** TCP peers that do not answer, or answer the call and then say nothing. */
final class SilentPeers implements AutoCloseable {
  private static final String HERE = "127.0.0.1";
  private static final ConnectionOptions PATIENT =
      ConnectionOptions.DEFAULT.withTimeout(Duration.ofHours(1));

  private final RdmaDevice device;
  private final Context context;

  /** The system answers for it, as for a program that has not come to accept yet. */
  private final ServerSocket silent = new ServerSocket(0, 50, InetAddress.ofLiteral(HERE));

  /** Its queue is full, so the system drops new connections. */
  private final ServerSocket full = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE));

  private final List<SocketChannel> filling = new ArrayList<>();

  SilentPeers(RdmaDevice device, Context context) throws IOException {
    this.device = device;
    this.context = context;
    for (int i = 0; i < 4; i++) {
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(full.getLocalSocketAddress());
      filling.add(channel);
    }
  }

  /** The call with each peer, on both kinds of threads. */
  Stream<InterruptedCall> calls(Method method, Moment moment) {
    return Stream.of(true, false)
        .flatMap(
            virtual ->
                Stream.of(true, false)
                    .map(
                        answered ->
                            new InterruptedCall(
                                method + (answered ? " answered" : " unanswered"),
                                virtual,
                                moment,
                                method.getName().equals("accept")
                                    ? accepting(method, answered)
                                    : connecting(method, answered))));
  }

  private Callable<?> connecting(Method method, boolean answered) {
    int port = (answered ? silent : full).getLocalPort();
    return () -> call(method, null, port);
  }

  private Callable<?> accepting(Method method, boolean answered) {
    return () -> {
      try (Listener listener = Connection.listen(context, 0, PATIENT);
          SocketChannel peer = SocketChannel.open()) {
        if (answered) {
          peer.configureBlocking(false); // an interrupt would close it
          peer.connect(new InetSocketAddress(HERE, listener.port()));
        }
        return call(method, listener, 0);
      }
    };
  }

  private Object call(Method method, Object target, int port) throws Exception {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(type -> argument(type, port)).toArray();
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private Object argument(Class<?> type, int port) {
    return type == int.class
        ? (Object) port
        : Stream.of(device, context, HERE, PATIENT, Duration.ofHours(1))
            .filter(type::isInstance)
            .findFirst()
            .orElseThrow();
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel channel : filling) {
      channel.close();
    }
    silent.close();
    full.close();
  }
}
