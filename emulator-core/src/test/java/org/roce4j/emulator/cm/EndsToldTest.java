package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;

/**
 * The events of both programs, from an act at each stage of a connection until nothing more
 * happens: every event once, in order, with its status.
 */
class EndsToldTest {
  /** Stage, acts in order, then the events of the client and of the server. */
  private static final String TABLE =
      """
      asked     | client.close                         | -                               | REJECTED 4
      asked     | server.close                         | REJECTED 28                     | -
      asked     | client.disconnect                    | UNREACHABLE -110                | -
      asked     | server.disconnect                    | UNREACHABLE -110                | -
      asked     | client.disconnect, server.disconnect | UNREACHABLE -110                | -
      asked     | server.reject                        | REJECTED 28                     | -
      asked     | client.device                        | DEVICE_REMOVAL                  | REJECTED 4
      asked     | server.device                        | REJECTED 28                     | DEVICE_REMOVAL, DEVICE_REMOVAL
      asked     | client.port, client.disconnect       | UNREACHABLE -110                | -
      asked     | client.port, server.close            | UNREACHABLE -110                | -
      asked     | server.listener                      | UNREACHABLE -110                | -

      answered  | client.close                         | -                               | REJECTED 4
      answered  | server.close                         | CONNECT_RESPONSE, REJECTED 28   | -
      answered  | client.disconnect                    | CONNECT_RESPONSE                | UNREACHABLE -110
      answered  | server.disconnect                    | CONNECT_RESPONSE                | UNREACHABLE -110
      answered  | client.disconnect, server.disconnect | CONNECT_RESPONSE                | UNREACHABLE -110
      answered  | client.device                        | DEVICE_REMOVAL                  | REJECTED 4
      answered  | server.device                        | CONNECT_RESPONSE, REJECTED 28   | DEVICE_REMOVAL, DEVICE_REMOVAL
      answered  | client.port, client.disconnect       | UNREACHABLE -110                | UNREACHABLE -110
      answered  | client.port, server.close            | UNREACHABLE -110                | -
      answered  | server.listener                      | CONNECT_RESPONSE                | UNREACHABLE -110
      answered  | server.notify                        | CONNECT_RESPONSE                | ESTABLISHED

      responded | client.close                         | -                               | REJECTED 28
      responded | server.close                         | REJECTED 28                     | -
      responded | client.disconnect                    | -                               | UNREACHABLE -110
      responded | server.disconnect                    | -                               | UNREACHABLE -110
      responded | client.disconnect, server.disconnect | -                               | UNREACHABLE -110
      responded | client.reject                        | -                               | REJECTED 28
      responded | client.device                        | DEVICE_REMOVAL                  | REJECTED 28
      responded | server.device                        | REJECTED 28                     | DEVICE_REMOVAL, DEVICE_REMOVAL
      responded | client.port, client.disconnect       | -                               | UNREACHABLE -110
      responded | client.port, server.close            | -                               | -
      responded | server.listener                      | -                               | UNREACHABLE -110
      responded | client.establish                     | -                               | ESTABLISHED
      responded | server.notify                        | -                               | ESTABLISHED

      stands    | client.close                         | -                               | DISCONNECTED, TIMEWAIT_EXIT
      stands    | server.close                         | DISCONNECTED, TIMEWAIT_EXIT     | -
      stands    | client.disconnect                    | DISCONNECTED -110, TIMEWAIT_EXIT | DISCONNECTED, TIMEWAIT_EXIT
      stands    | server.disconnect                    | DISCONNECTED, TIMEWAIT_EXIT     | DISCONNECTED, TIMEWAIT_EXIT
      stands    | client.disconnect, server.disconnect | DISCONNECTED, TIMEWAIT_EXIT     | DISCONNECTED, TIMEWAIT_EXIT
      stands    | client.device                        | DEVICE_REMOVAL                  | DISCONNECTED, TIMEWAIT_EXIT
      stands    | server.device                        | DISCONNECTED, TIMEWAIT_EXIT     | DEVICE_REMOVAL, DEVICE_REMOVAL
      stands    | client.port, client.disconnect       | DISCONNECTED -110, TIMEWAIT_EXIT | -
      stands    | client.port, server.close            | -                               | -
      stands    | server.listener                      | -                               | -

      datagrams | client.close                         | -                               | -
      datagrams | server.close                         | UNREACHABLE 2                   | -
      datagrams | server.reject                        | UNREACHABLE 2                   | -
      datagrams | client.device                        | DEVICE_REMOVAL                  | -
      datagrams | server.device                        | UNREACHABLE 2                   | DEVICE_REMOVAL, DEVICE_REMOVAL
      datagrams | server.listener                      | UNREACHABLE 1                   | -

      asked     | client.gone                          | -                               | -
      asked     | client.gone, server.accept           | -                               | UNREACHABLE -110
      asked     | client.gone, server.close            | -                               | -
      asked     | server.gone                          | UNREACHABLE -110                | -
      answered  | client.gone                          | -                               | UNREACHABLE -110
      answered  | server.gone                          | CONNECT_RESPONSE                | -
      responded | client.gone                          | -                               | UNREACHABLE -110
      responded | server.gone, client.establish        | -                               | -
      responded | server.gone, client.close            | -                               | -
      stands    | client.gone                          | -                               | -
      stands    | client.gone, server.disconnect       | -                               | DISCONNECTED -110, TIMEWAIT_EXIT
      stands    | client.gone, server.close            | -                               | -
      stands    | server.gone, client.disconnect       | DISCONNECTED -110, TIMEWAIT_EXIT | -
      datagrams | client.gone, server.accept           | -                               | -
      datagrams | server.gone                          | UNREACHABLE -110                | -
      """;

  @TestFactory
  Stream<DynamicTest> eachIsToldOnce() {
    return TABLE
        .lines()
        .filter(line -> !line.isBlank())
        .map(line -> line.split("\\|"))
        .map(
            cells ->
                DynamicTest.dynamicTest(
                    cells[0].strip() + ": " + cells[1].strip(),
                    () -> {
                      Rig rig = new Rig();
                      try {
                        assertEquals(
                            cells[2].strip() + " | " + cells[3].strip(),
                            rig.run(cells[0].strip(), cells[1].strip()));
                      } finally {
                        rig.nothingIsLeft();
                      }
                    }));
  }

  private static final class Rig extends CmRig {
    private CmId active;
    private CmId passive;
    private CmId listener;

    /** The channel of a closed device, on which nothing more can happen. */
    private EventChannel silent;

    String run(String stage, String acts) {
      PortSpace ps = stage.startsWith("datagram") ? PortSpace.UDP : PortSpace.TCP;
      listener = server.createId(ps);
      listener.bindAddr(at("10.0.0.2", PORT));
      listener.listen(4);
      active = routed(client.createId(ps), "10.0.0.2");
      active.connect(new ConnParam().qpNum(0x11));
      passive = next(server, CmEvent.ConnectRequest.class).id();
      bring(stage);
      for (String act : acts.split(", ")) {
        act(act);
      }
      List<String> first = new ArrayList<>();
      List<String> second = new ArrayList<>();
      while (told(client, first) + told(server, second) > 0) {}
      return words(first) + " | " + words(second);
    }

    private void bring(String stage) {
      switch (stage) {
        case "asked", "datagrams" -> {}
        case "answered" -> passive.accept(new ConnParam().qpNum(0x22));
        case "responded" -> {
          passive.accept(new ConnParam().qpNum(0x22));
          next(client, CmEvent.ConnectResponse.class);
        }
        case "stands" -> {
          bring("responded");
          active.establish();
          next(server, CmEvent.Established.class);
        }
        default -> throw new IllegalArgumentException(stage);
      }
    }

    private void act(String act) {
      boolean atClient = act.startsWith("client");
      CmId id = atClient ? active : passive;
      switch (act.substring(act.indexOf('.') + 1)) {
        case "close" -> id.close();
        case "disconnect" -> id.disconnect();
        case "reject" -> id.reject(new byte[0]);
        case "establish" -> id.establish();
        case "accept" -> id.accept(new ConnParam().qpNum(0x22));
        case "gone" -> {
          silent = atClient ? client : server;
          network.unplug((EmulatedDevice) (atClient ? clientDevice : serverDevice).device());
        }
        case "notify" -> id.notify(EventType.COMM_EST);
        case "listener" -> listener.close();
        case "device" -> {
          silent = atClient ? client : server;
          (atClient ? clientDevice : serverDevice).close();
        }
        case "port" ->
            ((EmulatedDevice) (atClient ? clientDevice : serverDevice).device()).port(false);
        default -> throw new IllegalArgumentException(act);
      }
    }

    /** Takes all events; a program confirms the end of its peer. Returns the number of events. */
    private int told(EventChannel channel, List<String> words) {
      CmEvent event = channel.getCmEvent(channel == silent ? 0 : TimeUnit.MINUTES.toNanos(5));
      if (event == null) {
        return 0;
      }
      event.ack();
      words.add(event.type() + (event.status() == 0 ? "" : " " + event.status()));
      if (event instanceof CmEvent.Disconnected) {
        event.id().disconnect();
      }
      return 1;
    }

    private static String words(List<String> told) {
      return told.isEmpty() ? "-" : String.join(", ", told);
    }
  }
}
