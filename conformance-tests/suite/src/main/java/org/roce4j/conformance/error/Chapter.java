package org.roce4j.conformance.error;

/** A chapter of the error table, in the order of the document. */
public enum Chapter {
  RC(
      "Reliable connections",
      """
      The requester's status is that of the request; once a side is in ERR, everything else posted there completes with \
      `WR_FLUSH_ERR`, in order. A side that stays in RTS is unharmed: it goes on with a new peer.\
      """),
  UC(
      "Unreliable connections",
      """
      A request is done when its last packet was sent: what becomes of it over there, the requester does not learn. A local error \
      leads to SQE, where the receive side goes on; `modify` to RTS leaves it.\
      """),
  UD(
      "Datagrams",
      """
      What does not fit or match is dropped, and the receive is kept for the next datagram. SQE as for unreliable connections.\
      """),
  SRQ(
      "Shared receive queues",
      """
      Receives of a shared queue are never flushed: a queue pair that enters ERR raises QP_LAST_WQE_REACHED instead.\
      """),
  XRC(
      "Extended reliable connections",
      """
      As reliable connections; queue, protection domain and completion queue are those of the shared receive queue that the message \
      names. A target queue pair has no requests of its own: what is posted in the queue stays there.\
      """),
  CQ(
      "Completion queues that overflow",
      """
      The completion that finds no room is lost. `poll` hands out what is there, then fails with EIO; every queue pair of the queue \
      goes to ERR.\
      """),
  LIMITS(
      "Limits of a device and of its queues",
      """
      The call is refused and nothing is changed; it succeeds once an object of the kind was destroyed, or a request was completed. \
      The limits are [settings](configuration.md).\
      """),
  UNDER_WAY(
      "Destroy, reset and modify to ERR, with traffic under way",
      """
      Both sides post WRITEs of many packets, or SENDs; then one of them calls, in each state that its queue pair can be in. A line \
      is a row for each state, whose name goes on with it (`ERR-DESTROY-RC-INIT`); its cell holds the event that comes there, and is \
      empty where the service has no such state. Destroyed and reset queue pairs complete nothing any more; what a destroyed one used \
      can be destroyed, and a reset one begins anew with another peer.\
      """),
  EVENTS(
      "Events that are not acknowledged at destroy",
      """
      The call waits until every event that was delivered for the object is acknowledged. Events that were not delivered yet are \
      discarded.\
      """),
  PORT(
      "Port down and up",
      """
      Packets are lost while the port is down; nothing else changes.\
      """);

  private final String title;
  private final String preface;

  Chapter(String title, String preface) {
    this.title = title;
    this.preface = preface;
  }

  /** The heading of the chapter. */
  public String title() {
    return title;
  }

  /** The text that holds for every row of the chapter. */
  public String preface() {
    return preface;
  }
}
