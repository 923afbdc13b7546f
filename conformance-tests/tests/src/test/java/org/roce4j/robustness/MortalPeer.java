package org.roce4j.robustness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.Gid;

/**
 * The other process of {@link KilledPeerTest}: receives messages until it is killed. Prints its
 * queue pair's number, then reads the peer's.
 */
final class MortalPeer {
  static final int MESSAGE = 16 << 10;

  private MortalPeer() {}

  /**
   * @param arguments transport, own address, peer's address
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    DeviceOptions options =
        DeviceOptions.of("mortal", Gid.parse(arguments[1])).withTransport(arguments[0]);
    try (RcSide side = new RcSide(Emulator.device(options), MESSAGE)) {
      out.println(side.qp.qpNum());
      int peer = Integer.parseInt(in.readLine());
      RcSide.connect(side.qp, Gid.parse(arguments[2]), peer, 14, 7);
      for (int i = 0; i < RcSide.DEPTH; i++) {
        side.receive(i, 0, MESSAGE);
      }
      out.println("ready");
      while (true) {
        for (RcSide.Completion done : side.poll()) {
          side.receive(done.wrId(), 0, MESSAGE);
        }
      }
    }
  }
}
