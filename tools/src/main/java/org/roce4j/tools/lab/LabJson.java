package org.roce4j.tools.lab;

import java.util.LinkedHashMap;
import java.util.Map;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.lab.Happening;
import org.roce4j.lab.LabPacket;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.LabState;
import org.roce4j.tools.console.Json;

/** A session as the page's script reads it. */
final class LabJson {
  private LabJson() {}

  /**
   * @param turn counts what was done with the session, also what was undone
   * @param problem why the last request was refused, or empty
   */
  static String of(LabSession lab, long turn, String problem) {
    LabState state = lab.state();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("title", lab.scenario().title());
    json.put("turn", turn);
    json.put("problem", problem);
    json.put("actions", lab.scenario().actions().size());
    json.put("nowNs", state.nowNs());
    json.put("nextNs", time(state.nextNs()));
    json.put("devices", state.devices().stream().map(LabJson::device).toList());
    json.put("underWay", state.underWay().stream().map(LabJson::packet).toList());
    json.put("happenings", lab.happenings().stream().map(LabJson::happening).toList());
    return Json.text(json);
  }

  private static Long time(long ns) {
    return Deadlines.isSet(ns) ? (Long) ns : null;
  }

  private static Map<String, Object> device(LabState.DeviceState device) {
    return Map.of(
        "name", device.name(),
        "address", device.address(),
        "key", hex(device.key()),
        "memory", device.memory(),
        "queuePairs", device.queuePairs().stream().map(LabJson::queuePair).toList());
  }

  private static Map<String, Object> queuePair(LabState.QueuePairState qp) {
    PsnWindow window = qp.window();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", qp.name());
    json.put("number", hex(window.number()));
    json.put("service", qp.service().name());
    json.put("state", qp.state().name());
    json.put("peer", qp.peer());
    json.put("key", hex(qp.key()));
    json.put("oldest", window.oldestUnacknowledged());
    json.put("next", window.nextToSend());
    json.put("never", window.neverSent());
    json.put("expected", window.expected());
    json.put("retries", window.retriesLeft());
    json.put("rnrRetries", window.rnrRetriesLeft());
    json.put("ackTimer", time(window.ackTimerNs()));
    json.put("rnrTimer", time(window.rnrTimerNs()));
    json.put("sends", qp.sends());
    json.put("receives", qp.receives());
    return json;
  }

  private static Map<String, Object> packet(LabPacket packet) {
    return Map.of(
        "number", packet.number(),
        "from", packet.from(),
        "to", packet.to(),
        "endNs", packet.endNs(),
        "what", packet.what(),
        "comment", packet.comment());
  }

  private static Map<String, Object> happening(Happening happening) {
    return Map.of(
        "atNs", happening.atNs(),
        "action", happening.action(),
        "kind", happening.kind().name(),
        "who", happening.who(),
        "what", happening.what());
  }

  private static String hex(int number) {
    return "0x" + Integer.toHexString(number);
  }
}
