package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;

/** The flows of the manuals, and a program that runs one: {@code Flows.java list-devices}. */
public enum Flows {
  FORK("1", "Prepare for fork", DeviceFlows::fork),
  LIST_DEVICES("2", "List devices, their ports and whether they are active", DeviceFlows::list),
  QUERY_GID("3", "Ask for a GID by its index", DeviceFlows::gid),
  QUERY_PKEY("4", "Ask for a P_Key by its index", DeviceFlows::pkey),
  ASYNC_EVENTS("5", "Asynchronous events, waiting", EventFlows::asyncEvents),
  ASYNC_EVENTS_TIMED("6", "Asynchronous events, looking every 100 ms", EventFlows::asyncTimed),
  CHANNEL_CQ_PD("7", "Make and destroy a channel, a CQ and a PD", ObjectFlows::channelCqPd),
  QUERY_SRQ("8", "Ask for the attributes of an SRQ", ObjectFlows::querySrq),
  MODIFY_SRQ("9", "Make, resize, arm and destroy an SRQ", ObjectFlows::modifySrq),
  QUEUE_PAIRS("10", "Make QPs of four kinds, ask for their state", ObjectFlows::queuePairs),
  MEMORY("11", "Register memory and forget it", ObjectFlows::memory),
  ADDRESS_HANDLES("12", "Address handles, of a completion and of attributes", AddressFlow::run),
  BRING_UP("13", "RESET to RTS: UD, UC and RC", BringUpFlow::run),
  CQ_EVENTS("15", "Completion events, waiting", EventFlows::completionEvents),
  CQ_EVENTS_TIMED("16", "Completion events, looking every 100 ms", EventFlows::completionTimed),
  BUILDER("17", "A WRITE and a WRITE_WITH_IMM, built call by call", TrafficFlows::builder),
  PORT_STATE("18", "The description of a port's state", DeviceFlows::portState),
  MULTICAST("20", "Multicast by the connection manager", MulticastFlow::run),
  CONNECT("21, 22", "Client and server by the connection manager, every step", ConnectFlow::run),
  SEND_RECV("24", "SEND and RECV", TrafficFlows::sendReceive),
  CONNECT_SHORT("25", "Client and server in seven steps each", ConnectFlow::shortRun),
  SEND_BW("26", "send_bw: server and client, QP data over TCP", SendBandwidthFlow::run),
  DEVICE_NAMES("27", "Names of devices, each opened and closed", DeviceFlows::names),
  DEVICE_SCRIPT(
      "28", "The script over ibv_devices, ibv_devinfo and show_gids", DeviceFlows::script);

  /** A program. */
  @FunctionalInterface
  interface Program {
    /**
     * Runs to its end.
     *
     * @param devices two that reach each other
     * @param out what it has to say
     */
    void run(List<RdmaDevice> devices, PrintStream out) throws Exception;
  }

  final String number;
  final String title;
  final Program program;

  /**
   * A flow.
   *
   * @param number in docs/flows.md
   */
  Flows(String number, String title, Program program) {
    this.number = number;
    this.title = title;
    this.program = program;
  }

  /** As the command line and the document name it. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Runs one, on devices {@code roce0} and {@code roce1}.
   *
   * @param args its name
   */
  public static void main(String[] args) throws Exception {
    for (Flows flow : values()) {
      if (args.length == 1 && flow.label().equals(args[0])) {
        flow.program.run(List.of(Verbs.device("roce0"), Verbs.device("roce1")), System.out);
        return;
      }
    }
    System.out.println(
        "name one of " + String.join(", ", Arrays.stream(values()).map(Flows::label).toList()));
  }
}
