package org.roce4j.conformance.remote;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;

/** The tester's end of a connection to a {@link TargetServer}, with one subject. */
public final class RemoteSubject implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int ANSWER_MILLIS = 30_000;

  private final Agreement agreement;
  private final String description;

  /**
   * Connects and greets the server; {@link #make} creates the queue pair.
   *
   * @throws UncheckedIOException if no server answers
   */
  public RemoteSubject(InetSocketAddress server) {
    try {
      Socket socket = new Socket();
      socket.connect(server, CONNECT_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      agreement = new Agreement(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(
          Wording.of(
              "nobody serves at TCP %s: %s; start roce4j conformance --serve there",
              server, e.getMessage()),
          e);
    }
    description = ask(Agreement.GREETING);
  }

  /** The server's description of its device. */
  public String description() {
    return description;
  }

  /**
   * Creates the queue pair. Each call of the returned subject is a line to the server.
   *
   * @param peer the address that the queue pair is connected to
   * @throws Subject.Refused if the device cannot create it
   */
  public Subject make(Gid peer, SubjectSetup setup) {
    ask("setup " + peer + " " + setup);
    return subject("");
  }

  /** A subject whose lines begin with {@code whose}. */
  private Subject subject(String whose) {
    return (Subject)
        Proxy.newProxyInstance(
            Subject.class.getClassLoader(),
            new Class<?>[] {Subject.class},
            (proxy, method, arguments) -> asked(whose, method, arguments));
  }

  private Object asked(String whose, Method method, Object[] arguments) {
    if (method.getName().equals("close")) {
      close();
      return null;
    }
    if (method.getReturnType() == Subject.class) {
      return subject(method.getName() + " " + arguments[0] + " ");
    }
    String line =
        Stream.concat(
                Stream.of(whose + method.getName()),
                arguments == null
                    ? Stream.empty()
                    : Stream.of(arguments)
                        .flatMap(it -> it instanceof String[] all ? Stream.of(all) : Stream.of(it)))
            .map(String::valueOf)
            .collect(Collectors.joining(" "));
    return result(ask(line), method.getReturnType());
  }

  private static Object result(String answer, Class<?> type) {
    if (type == void.class || answer.equals(Agreement.NONE)) {
      return null;
    }
    if (type == byte[].class) {
      return HexFormat.of().parseHex(answer);
    }
    if (type == Subject.Completed.class) {
      return completed(Words.of(answer));
    }
    return Words.plain(answer, type);
  }

  private static Subject.Completed completed(List<String> words) {
    int[] numbers = words.stream().skip(3).mapToInt(Integer::parseInt).toArray();
    return new Subject.Completed(
        Long.parseLong(words.get(0)),
        WcStatus.valueOf(words.get(1)),
        WcOpcode.valueOf(words.get(2)),
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5]);
  }

  private String ask(String line) {
    try {
      agreement.write(line);
      String answer = agreement.read();
      if (answer == null) {
        throw new EOFException("it closed the connection");
      }
      if (!answer.startsWith(Agreement.OK)) {
        throw new Subject.Refused(answer);
      }
      return answer.substring(Agreement.OK.length()).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the target does not answer: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      agreement.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
