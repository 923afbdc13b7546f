package org.roce4j.conformance.remote;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HexFormat;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** A subject behind a {@link TargetServer}. */
public final class RemoteSubject implements Subject {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int ANSWER_MILLIS = 30_000;

  private final Agreement agreement;
  private final String description;
  private int qpNum;
  private int rkey;
  private long base;

  /**
   * Connects and says hello; {@link #make} makes the queue pair.
   *
   * @throws UncheckedIOException if nobody serves there
   */
  public RemoteSubject(InetSocketAddress server) {
    try {
      Socket socket = new Socket();
      socket.connect(server, CONNECT_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      agreement = new Agreement(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "nobody serves at TCP %s: %s; start roce4j conformance --serve there"
              .formatted(server, e.getMessage()),
          e);
    }
    description = ask(Agreement.GREETING);
  }

  /** What the device is, in the words of the other side. */
  public String description() {
    return description;
  }

  /**
   * Makes the queue pair.
   *
   * @param peer the address that it is connected to
   * @throws Subject.Refused if the device cannot do that
   */
  public RemoteSubject make(Gid peer, SubjectSetup setup) {
    String[] words = ask("setup " + peer + " " + setup).split(" ");
    qpNum = Integer.parseInt(words[0]);
    rkey = Integer.parseInt(words[1]);
    base = Long.parseLong(words[2]);
    return this;
  }

  private String ask(String line) {
    try {
      agreement.write(line);
      String answer = agreement.read();
      if (answer == null) {
        throw new Refused("the target closed the connection");
      }
      if (!answer.startsWith(Agreement.OK)) {
        throw new Refused(answer);
      }
      return answer.substring(Agreement.OK.length()).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the target does not answer: " + e.getMessage(), e);
    }
  }

  @Override
  public int qpNum() {
    return qpNum;
  }

  @Override
  public int rkey() {
    return rkey;
  }

  @Override
  public long base() {
    return base;
  }

  @Override
  public void post(
      WrOpcode opcode, long wrId, int bytes, long remoteVa, int key, long operand, long swap) {
    ask(
        "post %d %d %d %d %d %d %d"
            .formatted(opcode.value(), wrId, bytes, remoteVa, key, operand, swap));
  }

  @Override
  public void receive(long wrId, int bytes) {
    ask("receive " + wrId + " " + bytes);
  }

  @Override
  public Completed sent(boolean wait) {
    return completed("sent", wait);
  }

  @Override
  public Completed received(boolean wait) {
    return completed("received", wait);
  }

  private Completed completed(String which, boolean wait) {
    String answer = ask(which + (wait ? " wait" : " now"));
    if (answer.equals(Agreement.NONE)) {
      return null;
    }
    String[] words = answer.split(" ");
    return new Completed(
        Long.parseLong(words[0]),
        WcStatus.of(Integer.parseInt(words[1])),
        Integer.parseInt(words[2]));
  }

  @Override
  public EventType event() {
    String answer = ask("event");
    return answer.equals(Agreement.NONE) ? null : EventType.of(Integer.parseInt(answer));
  }

  @Override
  public QpState state() {
    return QpState.of(Integer.parseInt(ask("state")));
  }

  @Override
  public long word(int offset) {
    return Long.parseLong(ask("word " + offset));
  }

  @Override
  public void word(int offset, long value) {
    ask("store " + offset + " " + value);
  }

  @Override
  public byte[] bytes(int from, int to) {
    return HexFormat.of().parseHex(ask("bytes " + from + " " + to));
  }

  @Override
  public void move(QpState to) {
    ask("move " + to.value());
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
