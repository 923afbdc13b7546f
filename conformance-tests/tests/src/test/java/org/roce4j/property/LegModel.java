package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WrOpcode;

/**
 * The model of one leg: requests execute one after the other. It holds two memories, the sender's
 * completions, and the messages sent. The receiver must get all messages (a reliable connection, a
 * quiet network) or some, each whole.
 */
final class LegModel {
  /** The promise for messages without a connection that repairs losses. */
  enum Promise {
    /** All messages arrive once, in order. */
    ALL,
    /** Some messages arrive, at most once and in order. */
    IN_ORDER,
    /** A message that arrives is whole. */
    WHOLE
  }

  /** An expected send completion. */
  record Sent(long wrId, WcOpcode opcode) {}

  /** An expected receive completion. */
  record Received(WcOpcode opcode, int bytes, int flags, int immediate) {}

  private record Message(Received received, byte[] payload, boolean solicited) {}

  final List<Sent> sent = new ArrayList<>();
  final byte[] near;
  final byte[] far;

  /** The initial bytes: on an unreliable connection each byte is written at most once. */
  private final byte[] farBefore;

  private final QpType service;
  private final Promise promise;
  private final List<Message> messages = new ArrayList<>();
  private int next;
  private int received;
  private boolean unfencedRead;

  LegModel(QpType service, Promise onUnreliable, byte[] near, byte[] far) {
    this.service = service;
    promise = service == QpType.RC ? Promise.ALL : onUnreliable;
    this.near = near;
    this.far = far;
    farBefore = far.clone();
  }

  boolean needsFence(WrOpcode opcode) {
    return unfencedRead
        && switch (opcode) {
          case RDMA_WRITE,
              RDMA_WRITE_WITH_IMM,
              ATOMIC_CMP_AND_SWP,
              ATOMIC_FETCH_AND_ADD,
              ATOMIC_WRITE ->
              true;
          default -> false;
        };
  }

  /** Executes a request with its bytes at these offsets of the two memories. */
  void happens(
      long wrId,
      WrOpcode opcode,
      Walk.Step step,
      int bytes,
      int localAt,
      int remoteAt,
      boolean fenced) {
    unfencedRead &= !fenced;
    switch (opcode) {
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> System.arraycopy(near, localAt, far, remoteAt, bytes);
      case RDMA_READ -> {
        System.arraycopy(far, remoteAt, near, localAt, bytes);
        unfencedRead = true;
      }
      case ATOMIC_WRITE -> HostLong.put(far, remoteAt, DataPathModel.addend(wrId));
      case ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP -> {
        long before = HostLong.get(far, remoteAt);
        HostLong.put(near, localAt, before);
        if (opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
          HostLong.put(far, remoteAt, before + DataPathModel.addend(wrId));
        } else if (before == DataPathModel.compare(wrId)) {
          HostLong.put(far, remoteAt, DataPathModel.addend(wrId));
        }
      }
      default -> {}
    }
    if (step.signaled()) {
      sent.add(new Sent(wrId, opcode.completion()));
    }
    if (DataPathModel.consumesReceive(opcode)) {
      boolean write = opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
      boolean datagram = service == QpType.UD;
      boolean immediate = opcode != WrOpcode.SEND;
      messages.add(
          new Message(
              new Received(
                  write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV,
                  bytes + (datagram ? GlobalRouteHeader.SIZE : 0),
                  (datagram ? WcFlags.GRH : 0) | (immediate ? WcFlags.WITH_IMM : 0),
                  immediate ? (int) wrId : 0),
              write ? new byte[0] : Arrays.copyOfRange(near, localAt, localAt + bytes),
              step.solicited()));
    }
  }

  // ---- results

  /** Judges a received message with the content of its buffer. */
  void received(Received completion, byte[] payload) {
    received++;
    for (int i = promise == Promise.WHOLE ? 0 : next; i < messages.size(); i++) {
      Message message = messages.get(i);
      if (message.received.equals(completion) && Arrays.equals(message.payload, payload)) {
        next = i + 1;
        return;
      }
      if (promise == Promise.ALL) {
        assertEquals(message.received, completion, "message " + i);
        fail("message " + i + " has other bytes than were sent");
      }
    }
    fail(completion + " is none of the messages that may come: " + messages.size() + " were sent");
  }

  boolean mayBeTorn() {
    return service == QpType.UC && promise != Promise.ALL;
  }

  /** Whether everything that must arrive has arrived. */
  boolean complete() {
    return promise != Promise.ALL || received == messages.size();
  }

  /** Whether nothing more can arrive. */
  boolean exhausted() {
    return promise == Promise.WHOLE ? received > 4 * messages.size() : next == messages.size();
  }

  boolean anySolicited() {
    return messages.stream().anyMatch(Message::solicited);
  }

  void checkFar(byte[] found) {
    for (int i = 0; i < found.length; i++) {
      boolean fine = found[i] == far[i] || (promise != Promise.ALL && found[i] == farBefore[i]);
      if (!fine) {
        fail("byte %d of the remote memory is %d, not %d".formatted(i, found[i], far[i]));
      }
    }
  }
}
