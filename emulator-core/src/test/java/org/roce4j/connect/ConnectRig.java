package org.roce4j.connect;

import org.junit.jupiter.api.AfterEach;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** Two devices on a virtual network, and two connected ends of messages. */
abstract class ConnectRig {
  final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  final EmulatedDevice nearDevice = network.device("near", Gid.parse("10.0.0.1"));
  final EmulatedDevice farDevice = network.device("far", Gid.parse("10.0.0.2"));
  final Context near = nearDevice.open();
  final Context far = farDevice.open();
  final RcPair pair;

  ConnectRig() {
    this(ConnectionOptions.DEFAULT);
  }

  ConnectRig(ConnectionOptions options) {
    pair = RcPair.connect(near, far, options);
  }

  @AfterEach
  void close() {
    pair.close();
    network.close();
  }
}
