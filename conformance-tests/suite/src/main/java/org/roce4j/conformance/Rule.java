package org.roce4j.conformance;

/**
 * The rules of dialogues: the rulings of rc-transport 0 by their numbers, all others by name. A
 * dialogue that fails prints its rule.
 */
public enum Rule {
  R1("rc-transport 0, 4.2", "a re-acknowledgement never covers a READ or atomic without answer"),
  R2("rc-transport 0, 3.1", "a plain ACK never completes a READ, atomic, FLUSH or ATOMIC_WRITE"),
  R3("rc-transport 0, 3.1", "nor does a NAK or RNR NAK for a later request"),
  R4("rc-transport 0, 3.1", "an RNR wait and a sequence NAK have nothing to do with each other"),
  R5("rc-transport 0, 4", "a SEND longer than its buffer: NAK 0x61, LOC_LEN_ERR at the receiver"),
  R6("rc-transport 0, 8", "a message over its maximum is not sent and completes LOC_LEN_ERR"),
  R7("rc-transport 0, 4.2", "the whole range of a READ can be asked for again and again"),
  R8("rc-transport 0, 3.2", "retry_cnt 7 is seven, rnr_retry 7 endless; progress reloads both"),
  R9("rc-transport 0, 4", "a right that the queue pair lacks: NAK 0x62"),
  R10("rc-transport 0, 4", "more READs and atomics than max_dest_rd_atomic: NAK 0x61"),
  R11("rc-transport 0, 7", "UC resynchronises at the next FIRST or ONLY and loses no more"),
  R12("rc-transport 0, 6.5", "a memory window is checked by its own range, rights, PD and QP"),
  R13("rc-transport 0", "RESET to ERR is refused"),
  R14("rc-transport 0, 2.1", "the RNR timer waits at least what its code says"),
  R15("rc-transport 0, 5.1", "a send queue error of UC and UD leads to SQE, not to ERR"),
  R16("rc-transport 0, 1", "a PSN means something only within 2^23 of its window"),
  R17_RANGE("rc-transport 0, 6.4", "address + length is computed without overflow"),
  R17_ATOMIC_WRITE("rc-transport 0, 6.6", "an ATOMIC_WRITE is exactly 8 bytes, aligned"),
  R17_ONCE("rc-transport 0, 5.1", "what completed is not completed again"),
  R26("rc-transport 0, 3", "max_rd_atomic 0: what was started is finished, the rest fails"),
  R28("rc-transport 0, 3.1", "an RNR NAK over a lost answer spends retry_cnt, once an attempt"),

  PSN_ORDER("rc-transport 1", "PSNs are compared modulo 2^24"),
  MSN("rc-transport 2.2", "the MSN counts completed messages, duplicates not"),
  SEGMENTATION("rc-transport 3", "FIRST, MIDDLE*, LAST of one path MTU each, or ONLY"),
  ACK_REQUEST("rc-transport 3", "the last packet of a message, and enough others, ask for an ACK"),
  READ_CREDITS("rc-transport 3", "no more than max_rd_atomic READs and atomics are outstanding"),
  FENCE("rc-transport 3", "a fenced request waits for the READs and atomics before it"),
  LOCAL_INVALIDATE("rc-transport 3, 6.5", "LOCAL_INV waits for all before it"),
  COMPLETION_ORDER("rc-transport 3", "requests retire in the order of posting, signaled or not"),
  IMPLIED_ACK("rc-transport 3.1, 4.1", "an answer acknowledges what was sent before it"),
  STALE("rc-transport 3.1", "an acknowledgement outside the window changes nothing"),
  RESPONSE_GAP("rc-transport 3.1", "a response that was lost is asked for again, with the rest"),
  BAD_RESPONSE("rc-transport 3.1", "a response that does not fit its request: BAD_RESP_ERR"),
  GO_BACK("rc-transport 3.1", "a sequence NAK sends again from its PSN on, as it was sent before"),
  ONE_RETRY("rc-transport 3.2", "a retry that has not progressed is not started twice"),
  REMOTE_ERROR("rc-transport 3.1, 5", "a fatal NAK completes its request with its status"),
  ACK_TIMEOUT("rc-transport 3.2", "4.096 us * 2^timeout, restarted by progress"),
  RETRY_COUNT("rc-transport 3.2", "retry_cnt retries, then RETRY_EXC_ERR"),
  RNR_COUNT("rc-transport 3.2", "rnr_retry retries, then RNR_RETRY_EXC_ERR"),

  PACKET_CHECKS("rc-transport 4, check 0", "what is not for this queue pair is dropped silently"),
  IGNORED_BITS("wire-format 2", "MigReq, BECN and reserved bits are ignored"),
  SEQUENCE_NAK("rc-transport 4, check 1", "one sequence NAK per gap"),
  OPCODE_SEQUENCE("rc-transport 4, check 2", "an opcode out of sequence: NAK 0x61"),
  RECEIVE_RESOURCE("rc-transport 4, check 4", "no receive request: RNR NAK, nothing changes"),
  LENGTHS("rc-transport 4, check 5", "a wrong length: NAK 0x61"),
  REMOTE_KEY("rc-transport 4, check 6", "a key, right, PD or range that is wrong: NAK 0x62"),
  LOCAL_KEY("rc-transport 4, 5", "a local buffer that may not be used: LOC_PROT_ERR"),
  ACKNOWLEDGING("rc-transport 4.1", "an accepted packet that asks is acknowledged, by its PSN"),
  ANSWER_ORDER("rc-transport 4.1", "answers and acknowledgements go out in the order of PSNs"),
  DUPLICATES("rc-transport 4.2", "a duplicate is not executed again"),
  READ_REPLAY("rc-transport 4.2", "a duplicate READ is answered if it lies within the original"),
  ATOMIC_REPLAY("rc-transport 4.2", "a duplicate atomic is answered with its own stored result"),

  FLUSH("rc-transport 5.1", "in ERR all that is posted is flushed, in order, signaled or not"),
  FATAL_SILENCE("rc-transport 4", "after a fatal NAK nothing is answered"),
  RESET("rc-transport 5.1", "RESET leaves nothing behind: no timer, no packet, no completion"),
  SQD("rc-transport 5.2", "SQD finishes what was started, holds the rest, and tells once"),
  SRQ_LIMIT("rc-transport 5.3", "the limit event comes once per arming"),
  SHARED_RECEIVE(
      "rc-transport 5.1", "a shared receive queue is not flushed; LAST_WQE_REACHED once"),
  XRC_RECEIVER(
      "rc-transport 9", "an XRC message is received by the queue of its domain that it names"),
  XRC_HALF("rc-transport 9", "an XRC queue pair only sends requests or only answers them"),
  READ_ANSWER("rc-transport 4.1", "a READ is answered from its PSN on, AETH not on MIDDLE"),
  REMOTE_FLUSH("rc-transport 6.6", "a FLUSH needs its right on queue pair and region"),
  ATOMICS("rc-transport 6.2", "8 aligned bytes; the answer is the value before"),
  INVALIDATE("rc-transport 6.3", "SEND with Invalidate: data, then the key, then the completion"),
  WINDOWS("rc-transport 6.5", "how memory windows are bound and invalidated"),
  UC("rc-transport 7", "UC answers nothing; a message is whole or not at all"),
  UD("rc-transport 8", "one packet a message, Q_Key checked, 40 bytes of network header"),
  COMPLETION_FIELDS("rc-transport 10", "what a completion says"),
  SOLICITED("rc-transport 10", "armed for solicited: SE and errors tell, nothing else"),
  NOTIFICATION("rc-transport 10", "one event per arming"),
  CQ_OVERFLOW("rc-transport 10", "a completion that finds no room: CQ_ERR, ERR"),
  STATES("verbs-tables 1, 3", "what a queue pair does in each state"),
  CONGESTION("wire-format 8.3, 8.4", "a congestion mark is answered by CNPs at a bounded rate"),
  PATH_WINDOW("docs/design.md", "queue pairs to one address share what may be in flight"),
  HELD_REQUESTS(
      "docs/design/held-requests.md", "small requests wait for one another, never for long"),
  TRAINS("docs/design.md", "what does not fit a train goes in the next, in its order"),
  COUNTERS("docs/errors.md", "what happened is counted under its name");

  private final String source;
  private final String sentence;

  Rule(String source, String sentence) {
    this.source = source;
    this.sentence = sentence;
  }

  /** The section of the rule. */
  public String source() {
    return source;
  }

  /** The rule in a few words. */
  public String sentence() {
    return sentence;
  }

  @Override
  public String toString() {
    return name() + " [" + source + "] " + sentence;
  }
}
