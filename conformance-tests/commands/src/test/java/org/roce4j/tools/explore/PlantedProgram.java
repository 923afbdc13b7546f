package org.roce4j.tools.explore;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.RemoteBuffer;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** Programs with a mistake that only a fault shows. */
public final class PlantedProgram {
  private PlantedProgram() {}

  /** Runs the program that the argument names. */
  public static void main(String[] args) {
    switch (args[0]) {
      case "no-retry" -> read(0, 7);
      case "no-rnr-retry" -> read(7, 0);
      case "sound" -> read(7, 7);
      case "sockets" -> send();
      case "silent" -> {}
      case "broken" -> {
        System.out.println("it never works");
        throw new IllegalStateException("broken");
      }
      case "patient" -> patient();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  /** Reads three packets of the peer's memory, then says so. */
  private static void read(int retries, int rnrRetries) {
    try (FabricDevices fabric = new FabricDevices(FabricOptions.of(1));
        Context near = fabric.device("near", Gid.parse("10.0.0.1")).open();
        Context far = fabric.device("far", Gid.parse("10.0.0.2")).open()) {
      ConnectionOptions options =
          ConnectionOptions.DEFAULT.withAttributes(
              attr -> attr.retryCnt(retries).rnrRetry(rnrRetries));
      try (RcPair pair = RcPair.connect(near, far, options)) {
        var exposed = pair.server().expose(12_000);
        exposed.memory().fill((byte) 7);
        pair.server().send(exposed.key());
        RemoteBuffer remote = pair.client().receive(RemoteBuffer.class);
        System.out.println(pair.client().read(remote, 0, 12_000).length + " bytes");
        pair.client().send("thanks");
        System.out.println(pair.server().receiveString());
      }
    }
  }

  /**
   * Sends on sockets without retries, twice, each time on new devices. An ACK may be late by two
   * seconds.
   */
  private static void send() {
    long process = ProcessHandle.current().pid();
    String network = "127.%d.%d.".formatted(100 + process / 256 % 100, process % 256);
    for (int i = 1; i < 5; i += 2) {
      DeviceOptions near = DeviceOptions.of("near" + i, Gid.parse(network + i)).withUdpPort(24961);
      DeviceOptions far = DeviceOptions.of("far" + i, Gid.parse(network + (i + 1)));
      try (Context client = Emulator.device(near).open();
          Context server = Emulator.device(far.withUdpPort(24961)).open();
          RcPair pair =
              RcPair.connect(
                  client,
                  server,
                  ConnectionOptions.DEFAULT.withAttributes(attr -> attr.timeout(19).retryCnt(0)))) {
        for (int message = 0; message < 3; message++) {
          pair.client().send("hello");
          System.out.println(pair.server().receiveString() + i);
        }
      }
    }
  }

  /** Waits for ever when the exchange fails. */
  private static void patient() {
    try {
      read(0, 7);
    } catch (RuntimeException e) {
      while (true) {
        LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
      }
    }
  }
}
