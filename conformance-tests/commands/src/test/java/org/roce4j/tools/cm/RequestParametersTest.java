package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;

/**
 * The parameters that each client requests: ucmatose and rping as the C programs in captures of
 * Linux, cmtime as its source except for the retry count, rdma-client the greatest that the device
 * has, as librdmacm does without parameters.
 */
@EnabledOnOs(OS.LINUX) // only Linux gives the host every address of 127.0.0.0/8
@Timeout(60)
class RequestParametersTest {
  private static final String HERE = OwnNetwork.address(57);
  private static final String THERE = OwnNetwork.address(58);
  private static final int PORT = 7199;

  /** The server sees the client's initiator depth as its responder resources. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ucmatose -s HERE -b THERE -p 7199              | resources 1 depth 1 retry 5 rnr 0
          cmtime -s HERE -b THERE -c 1 -p 7199           | resources 1 depth 1 retry 7 rnr 0
          rping -c -a HERE -I THERE -p 7199              | resources 1 depth 1 retry 7 rnr 7
          rdma-client -s HERE --bind THERE -p 7199       | resources 128 depth 128 retry 7 rnr 7
          """)
  void aClientAsksForWhatItsProgramAsksFor(String line, String asked) {
    try (Context context = Emulator.device(DeviceOptions.of("server", Gid.parse(HERE))).open();
        RdmaCm cm = RdmaCm.open(context);
        EventChannel channel = cm.createEventChannel();
        CmId listener = channel.createId(PortSpace.TCP)) {
      listener.bindAddr(new InetSocketAddress(HERE, PORT));
      listener.listen(1);
      String words = line.replace("THERE", THERE).replace("HERE", HERE);
      CompletableFuture<CommandRun> run =
          CompletableFuture.supplyAsync(
              () -> CommandRun.of(words, new StringWriter()), Thread.ofPlatform()::start);
      CmId id;
      String heard;
      try (CmEvent event = channel.getCmEvent(TimeUnit.SECONDS.toNanos(30))) {
        id = event.id();
        heard =
            Wording.of(
                "resources %d depth %d retry %d rnr %d",
                event.conn().responderResources(),
                event.conn().initiatorDepth(),
                event.conn().retryCount(),
                event.conn().rnrRetryCount());
        id.reject(new byte[0]);
      }
      id.close();
      assertEquals(1, run.join().status());
      assertEquals(asked, heard);
    }
  }
}
