package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.util.List;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/** Flows that ask devices. */
final class DeviceFlows {
  private DeviceFlows() {}

  /**
   * Flow 1. A Java program starts another by exec and never goes on as two: there is nothing that
   * {@code ibv_fork_init} would have to protect.
   */
  static void fork(List<RdmaDevice> devices, PrintStream out) throws Exception {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) {
      int status = new ProcessBuilder("true").start().waitFor(); // fork() and exec()
      TrafficFlows.message(own, "still registered");
      out.printf(
          "a process ended with status %d, the memory is %s%n",
          status, own.region.memory().getString(TrafficFlows.LANDING));
    }
  }

  /** Flow 2. */
  static void list(List<RdmaDevice> devices, PrintStream out) {
    out.printf("%d RDMA device(s) found:%n", devices.size()); // ibv_get_device_list
    for (RdmaDevice device : devices) {
      try (Context context = device.open()) { // ibv_open_device
        DeviceAttr attr = context.queryDevice(); // ibv_query_device
        // ibv_get_device_name
        out.printf("The device '%s' has %d port(s)%n", device.name(), attr.physPortCount());
        for (int port = 1; port <= attr.physPortCount(); port++) {
          PortAttr portAttr = context.queryPort(port); // ibv_query_port
          out.printf(
              "RDMA device %s, port %d state %s active%n",
              device.name(), port, portAttr.state() == PortState.ACTIVE ? "is" : "isn't");
        }
      } // ibv_close_device
    } // ibv_free_device_list: the list is garbage
  }

  /** Flow 3: index 2, as the manual has it, and index 0, which every device has. */
  static void gid(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      for (int index : new int[] {2, 0}) {
        // ibv_query_gid; an entry that is not in use is zero
        boolean used = !context.queryGid(1, index).isZero();
        out.printf("GID index %d of port 1 is %s%n", index, used ? "in use" : "empty");
      }
    }
  }

  /** Flow 4: the table of a RoCE device has one entry, so that index 2 is refused. */
  static void pkey(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      out.printf("P_Key index 0 is 0x%04x%n", context.queryPkey(1, 0)); // ibv_query_pkey
      try {
        context.queryPkey(1, 2);
      } catch (VerbsException e) {
        out.printf("P_Key index 2: %s%n", e.errno());
      }
    }
  }

  /** Flow 18. */
  static void portState(List<RdmaDevice> devices, PrintStream out) {
    PortState state = PortState.ACTIVE;
    out.printf( // ibv_port_state_str
        "The description of the enumerated value %d is %s%n",
        state.value(), PortState.describe(state.value()));
  }

  /** Flow 27. */
  static void names(List<RdmaDevice> devices, PrintStream out) {
    for (RdmaDevice device : devices) { // ibv_get_device_list
      Context context = device.open(); // ibv_open_device
      // ibv_get_device_name
      out.printf("The device '%s' was opened%n", context.device().name());
      context.close(); // ibv_close_device
    }
  }

  /** Flow 28: the checks of the script, without its tools. */
  static void script(List<RdmaDevice> devices, PrintStream out) {
    for (RdmaDevice device : devices) { // ibv_devices
      try (Context context = device.open()) {
        PortState state = context.queryPort(1).state(); // ibv_devinfo: state
        out.printf("%s: port 1 is %s%n", device.name(), PortState.describe(state.value()));
        for (GidEntry entry : context.queryGidTable()) { // show_gids
          if (entry.gidType() == GidType.ROCE_V2) {
            out.printf("%s: GID index %d of port 1 is v2%n", device.name(), entry.gidIndex());
          }
        }
      }
    }
  }
}
