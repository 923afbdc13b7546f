package org.roce4j.lab;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;

/**
 * The actions of a lab. Each has a line of text, which {@link ActionText} reads and {@link #text}
 * writes. Queue pairs are named by their device and the order of their creation: {@code a1}, {@code
 * a2}. Each device has some kilobytes of memory, addressed from 0.
 */
public sealed interface Action {
  /** Size of the memory of each device, in bytes. */
  int MEMORY_BYTES = 4096;

  /** The line of a scenario: {@code send a1 text=hello}. */
  default String text() {
    return ActionText.of(this);
  }

  /** Creates a queue pair in state RESET. */
  record Create(String device, QpType service) implements Action {}

  /**
   * Creates a queue pair on each of two devices and connects them in RTS.
   *
   * @param service service; XRC_SEND: both halves, and the left one sends
   * @param settings attributes of both ends that differ from {@code QpBringUp.attributes}
   */
  record Connect(String left, String right, QpType service, Map<QpSetting, Integer> settings)
      implements Action {
    /** Copies the settings. */
    public Connect {
      settings = Map.copyOf(settings);
    }
  }

  /**
   * Changes a queue pair.
   *
   * @param state new state; null: unchanged
   * @param peer queue pair whose number and address are set; empty: none
   * @param settings attributes to set; a transition takes missing ones from {@code QpBringUp}
   */
  record Modify(String qp, QpState state, String peer, Map<QpSetting, Integer> settings)
      implements Action {
    /** Copies the settings. */
    public Modify {
      settings = Map.copyOf(settings);
    }
  }

  /**
   * Posts a SEND.
   *
   * @param immediate null: none
   * @param to UD: destination queue pair; empty: the queue pair that it was connected with
   * @param queue XRC: index of the target's shared receive queue to send to, 0 or 1
   */
  record Send(String qp, Payload payload, Integer immediate, String to, int queue)
      implements Action {}

  /**
   * Posts an RDMA WRITE.
   *
   * @param at offset in the peer's memory
   * @param immediate null: none
   */
  record Write(String qp, Payload payload, int at, Integer immediate) implements Action {}

  /**
   * Posts an RDMA READ.
   *
   * @param at offset in the peer's memory
   * @param into offset in the device's own
   */
  record Read(String qp, int at, int into, int bytes) implements Action {}

  /**
   * Posts an atomic.
   *
   * @param kind ATOMIC_CMP_AND_SWP or ATOMIC_FETCH_AND_ADD
   * @param at offset in the peer's memory, of eight bytes
   * @param into offset in the device's own memory for the previous value
   * @param compareAdd value to compare or to add
   * @param swap value to write if the comparison succeeds
   */
  record Atomic(String qp, WrOpcode kind, int at, int into, long compareAdd, long swap)
      implements Action {}

  /**
   * Posts a receive request.
   *
   * @param into offset in the device's memory
   * @param queue XRC: index of the target's shared receive queue, 0 or 1
   */
  record Receive(String qp, int into, int bytes, int queue) implements Action {}

  /**
   * Sets the key that the queue pair uses for the peer's memory.
   *
   * @param value key; null: the current one
   */
  record Key(String qp, Integer value) implements Action {}

  /**
   * Registers the device's memory again, which gives it another key that peers do not know.
   *
   * @param rights rights of peers, of {@code AccessFlags}
   */
  record Register(String device, int rights) implements Action {}

  /** Takes a port down or up. */
  record SetPort(String device, boolean up) implements Action {}

  /** Applies a fault to a packet in flight. */
  record Strike(int packet, FaultAction fault) implements Action {}

  /** Executes the next {@code times} events: arrivals of packets, or timers. */
  record Step(int times) implements Action {}

  /**
   * Lets time pass.
   *
   * @param forNs virtual nanoseconds; null: until no event is left
   */
  record Run(Long forNs) implements Action {}

  /**
   * The data of a SEND or WRITE.
   *
   * @param from offset in the device's memory
   * @param text text that the program first writes there; empty: the memory is sent as it is
   */
  record Payload(int from, int bytes, String text) {
    /** The length of a text in UTF-8, in bytes. */
    static int bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    }
  }
}
