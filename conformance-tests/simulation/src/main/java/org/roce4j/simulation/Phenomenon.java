package org.roce4j.simulation;

/** The phenomena of applications and the network in a run; engines count the others. */
enum Phenomenon {
  LOSS("lost on a link"),
  BURST("lost in a burst"),
  DUPLICATE("copied by a link"),
  REORDER("overtaken on a link"),
  CORRUPTION("corrupted on a link"),
  QUEUE_FULL("dropped for a full queue"),
  DATAGRAM("unreliable datagrams received"),
  MULTICAST("datagrams received from a group"),
  SELF_DELIVERED("datagrams received from a group by their own sender"),
  UNRELIABLE_MESSAGE("messages received on unreliable connections"),
  SEND_QUEUE_ERROR("send queues in SQE set to work again"),
  SRQ_LIMIT("limits of shared receive queues reached"),
  LAST_WQE("queue pairs in ERR done with their shared receive queue"),
  PAUSE("pauses of a device's links"),
  STALL("pauses of an application"),
  PARTITION("partitions of two devices"),
  PORT_DOWN("ports taken down"),
  CRASH("devices crashed and restarted"),
  DRAIN("send queues drained and set to work again"),
  FLUSH("connections broken by ERR"),
  RESET("queue pairs reset under traffic"),
  DESTROY("queue pairs destroyed under traffic"),
  REUSE("queue pairs connected again"),
  RECONNECT("connections made again");

  private final String meaning;

  Phenomenon(String meaning) {
    this.meaning = meaning;
  }

  String meaning() {
    return meaning;
  }

  /** The name in the counts. */
  String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
