package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** A server that says that it waits for clients does so already. */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(60)
class ReadyServersTest {
  private static final String HERE = OwnNetwork.address(55);
  private static final String THERE = OwnNetwork.address(56);

  /** A script starts the client as soon as it reads the line, before the server does more. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rping -s -d -a HERE                        | rdma_listen  | 7174
          ucmatose -b HERE                           | starting     | 7471
          rdma-server -s HERE                        | start        | 7471
          rdma-xserver -b HERE                       | start        | 7471
          cmtime -b HERE                             | listening    | 7471
          perf send_bw --server -R --bind HERE       | rdma_cm port | 18515
          """)
  void aServerThatSaysSoIsReady(String line, String ready, int port) {
    AtomicReference<CmEvent> answer = new AtomicReference<>();
    try (Context context = Emulator.device(DeviceOptions.of("clients", Gid.parse(THERE))).open();
        RdmaCm cm = RdmaCm.open(context)) {
      StringWriter heard =
          new StringWriter() {
            @Override
            public void write(String text, int from, int length) {
              super.write(text, from, length);
              if (text.contains(ready)) {
                answer.set(answerTo(cm, port));
              }
            }
          };
      CommandRun.of(line.replace("HERE", HERE), heard);
      assertNull(answer.get(), () -> "before it does more: " + answer.get());
      assertTrue(heard.toString().contains(ready), heard::toString);
    }
  }

  /** Asks, waits for a rejection, and leaves, which ends the server's run. */
  private static CmEvent answerTo(RdmaCm cm, int port) {
    EventChannel events = cm.createEventChannel();
    CmId id = events.createId(PortSpace.TCP);
    id.resolveAddr(null, new InetSocketAddress(HERE, port), 2000);
    events.getCmEvent().ack();
    id.resolveRoute(2000);
    events.getCmEvent().ack();
    id.connect(new ConnParam().qpNum(5));
    CmEvent answer = events.getCmEvent(300_000_000);
    if (answer != null) {
      answer.ack();
    }
    id.close();
    return answer;
  }
}
