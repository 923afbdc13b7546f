package org.roce4j.lab;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;

/**
 * What is done in a lab, one thing at a time. Each has a line of text, which {@link ActionText}
 * reads and {@link #text} writes. Queue pairs are named after their device and in the order of
 * their making: {@code a1}, {@code a2}. Memory is a device's few kilobytes, addressed from 0.
 */
public sealed interface Action {
  /** As a scenario writes it: {@code send a1 text=hello}. */
  default String text() {
    return ActionText.of(this);
  }

  /** Makes a queue pair, in state RESET. */
  record Create(String device, QpType service) implements Action {}

  /**
   * Makes a queue pair on each device and brings both to RTS.
   *
   * @param service XRC_SEND stands for both halves: the left sends
   * @param settings of both ends, as far as they differ from {@code QpBringUp.attributes}
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
   * @param state null: it stays
   * @param peer whose number and address it is given; empty: none
   * @param settings a transition takes what it needs and is not given from {@code QpBringUp}
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
   * @param to UD: the queue pair it goes to; empty: the one it was connected with
   * @param queue XRC: which of the target's shared receive queues, 0 or 1
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
   * @param into offset in the device's own, of what was there before
   * @param compareAdd what is compared or added
   * @param swap what is written if it was equal
   */
  record Atomic(String qp, WrOpcode kind, int at, int into, long compareAdd, long swap)
      implements Action {}

  /**
   * Posts a receive request.
   *
   * @param into offset in the device's memory
   * @param queue XRC: to which of the target's shared receive queues, 0 or 1
   */
  record Receive(String qp, int into, int bytes, int queue) implements Action {}

  /**
   * The queue pair names this key of the peer's memory from now on.
   *
   * @param value null: the one that is right now
   */
  record Key(String qp, Integer value) implements Action {}

  /**
   * Registers the device's memory anew: with another key, which its peers do not know.
   *
   * @param rights of {@code AccessFlags}, for peers
   */
  record Register(String device, int rights) implements Action {}

  /** Takes a port down or up. */
  record Port(String device, boolean up) implements Action {}

  /** A packet under way meets a fault. */
  record Strike(int packet, FaultAction fault) implements Action {}

  /** Lets the next thing happen, {@code times} times: packets arrive, or a timer is over. */
  record Step(int times) implements Action {}

  /**
   * Lets time pass.
   *
   * @param forNs virtual nanoseconds; null: until nothing is left to happen
   */
  record Run(Long forNs) implements Action {}

  /**
   * What a SEND or WRITE carries.
   *
   * @param from offset in the device's memory
   * @param text what the program writes there before; empty: nothing, the memory is as it is
   */
  record Payload(int from, int bytes, String text) {
    /** What a text takes in memory, in UTF-8. */
    static int bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    }
  }
}
