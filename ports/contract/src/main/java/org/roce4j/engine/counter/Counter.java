package org.roce4j.engine.counter;

/**
 * The counters. The first group has the names of Linux rxe's {@code hw_counters}, the second those
 * of mlx5.
 */
public enum Counter {
  /** Packets given to the port, retransmissions and acknowledgements included. */
  SENT_PACKETS("sent_pkts"),
  /** Packets whose ICRC was accepted, whatever the later checks say. */
  RECEIVED_PACKETS("rcvd_pkts"),
  /** Responder: requests with a PSN before the expected one; answered again, not executed again. */
  DUPLICATE_REQUEST("duplicate_request"),
  /** Responder: requests with a PSN after the expected one; an earlier packet was lost. */
  OUT_OF_SEQUENCE_REQUEST("out_of_seq_request"),
  /** Requester: RNR NAKs received, because the peer has no receive request. */
  RECEIVED_RNR("rcvd_rnr_err"),
  /** Responder: RNR NAKs for requests that found no receive request. */
  SENT_RNR("send_rnr_err"),
  /** Requester: sequence NAKs received, because the peer lacks a packet. */
  RECEIVED_SEQUENCE_NAK("rcvd_seq_err"),
  /**
   * Responder: acknowledgements merged into one that was not sent yet, so that one ACK covers
   * several requests.
   */
  ACK_DEFERRED("ack_deferred"),
  /** Requester: queue pairs failed because {@code retry_cnt} was used up. */
  RETRY_EXCEEDED("retry_exceeded_err"),
  /** Requester: queue pairs failed because {@code rnr_retry} was used up. */
  RNR_RETRY_EXCEEDED("retry_rnr_exceeded_err"),
  /** Requester: the times it went back to send again, for any reason except RNR. */
  COMPLETER_RETRY("completer_retry_err"),
  /** Packets that the port could not send, because the socket refused them or the port is down. */
  SEND_ERROR("send_err"),
  /** The times the program took a port down. */
  LINK_DOWNED("link_downed"),
  /** Send requests completed with success. */
  RDMA_SENDS("rdma_sends"),
  /** Receive requests completed with success. */
  RDMA_RECEIVES("rdma_recvs"),
  /** Send requests completed in error, flushed ones not counted. */
  REQUESTER_CQE_ERROR("req_cqe_error"),
  /**
   * Send requests flushed because their queue pair failed or was drained ({@code WR_FLUSH_ERR}).
   */
  REQUESTER_CQE_FLUSHED("req_cqe_flush_error"),
  /** Requester: NAKs "invalid request" ({@code REM_INV_REQ_ERR}). */
  REMOTE_INVALID_REQUEST("req_remote_invalid_request"),
  /** Requester: NAKs "remote access error" ({@code REM_ACCESS_ERR}). */
  REMOTE_ACCESS_ERROR("req_remote_access_errors"),
  /** Receive requests completed in error, flushed ones not counted. */
  RESPONDER_CQE_ERROR("resp_cqe_error"),
  /** Receive requests flushed because their queue pair failed ({@code WR_FLUSH_ERR}). */
  RESPONDER_CQE_FLUSHED("resp_cqe_flush_error"),
  /** Responder: messages longer than their receive request. */
  RESPONDER_LENGTH_ERROR("resp_local_length_error"),
  /** Responder: requests whose key, range or right was refused, including keys to invalidate. */
  RESPONDER_ACCESS_ERROR("resp_remote_access_errors"),
  /**
   * UC and UD: messages dropped because no receive request was posted; RC answers with RNR NAKs.
   */
  OUT_OF_BUFFER("out_of_buffer"),
  /** Requester: NAKs "remote operational error" ({@code REM_OP_ERR}). */
  REMOTE_OPERATION_ERROR("req_remote_op_errors"),
  /** Responder: requests out of order, of illegal length, or not supported. */
  RESPONDER_INVALID_REQUEST("resp_invalid_request"),
  /** Responder: receive requests whose own memory was refused ({@code LOC_PROT_ERR}). */
  RESPONDER_PROTECTION_ERROR("resp_local_prot_error"),
  /** Bytes of UDP payload sent: from the BTH to the ICRC. */
  SENT_BYTES("sent_bytes"),
  /** Bytes of UDP payload received, of the packets that {@link #RECEIVED_PACKETS} counts. */
  RECEIVED_BYTES("rcvd_bytes"),
  /**
   * System calls that sent packets; {@link #SENT_PACKETS} by this is the mean length of a train.
   */
  SENT_TRAINS("sent_trains"),
  /** The times at which small requests began to be held, to leave in one train. */
  REQUESTS_HELD("requests_held"),
  /** Trains of two packets or more that the kernel handed over as one. */
  RECEIVED_TRAINS("rcvd_trains"),
  /** Responder: NAKs for a missing packet, at most one for each gap. */
  SENT_SEQUENCE_NAK("sent_seq_nak"),
  /** Responder: ACKs; a READ response or atomic acknowledgement is not counted. */
  SENT_ACKS("sent_acks"),
  /** Requester: ACKs. */
  RECEIVED_ACKS("rcvd_acks"),
  /** Requester: the times the local ACK timeout of a queue pair expired. */
  ACK_TIMEOUT("ack_timeout"),
  /**
   * Requester: responses that show the loss of the response to an earlier READ or atomic, which is
   * requested again.
   */
  RESPONSE_GAP("response_gap"),
  /**
   * Requester: probes for a lost last packet, sent before the timeout; docs/design/loss-probes.md.
   */
  LOSS_PROBE("loss_probe"),
  /** Requester: packets sent more than once. */
  RETRANSMITTED_PACKETS("retransmitted_pkts"),
  /** Requester: READs requested again from the middle. */
  PARTIAL_READ_REPLAY("partial_read_replay"),
  /** Responder: duplicates of atomics, answered with the result that was kept. */
  ATOMIC_REPLAY("atomic_replay"),
  /** Requester: the times its PSN wrapped from 0xFFFFFF to 0. */
  PSN_WRAP("psn_wrap"),
  /** Datagrams with a wrong ICRC, dropped without being read. */
  ICRC_ERROR("icrc_err"),
  /**
   * Datagrams over IPv4 whose identification the socket did not show; 16 bits of the ICRC were
   * checked.
   */
  ICRC_SOLVED("icrc_solved"),
  /** Malformed packets: too short, of unknown opcode or version, of illegal pad or length. */
  MALFORMED("malformed_pkts"),
  /** Packets of another partition. */
  BAD_PKEY("bad_pkey"),
  /** Datagrams with another Q_Key than the queue pair's. */
  BAD_QKEY("bad_qkey"),
  /** Packets whose destination queue pair or group has no queue pair here. */
  UNKNOWN_QP("unknown_qp"),
  /** Packets of another service than that of their queue pair. */
  WRONG_SERVICE("wrong_service"),
  /** Packets that their queue pair does not accept in its state. */
  WRONG_STATE("wrong_state"),
  /**
   * Packets whose source is not the connected peer's address, or whose destination is not the
   * peer's destination.
   */
  WRONG_ADDRESS("wrong_address"),
  /** Requests dropped without an answer: by rule (UC, UD), or because the queue pair is failing. */
  REQUEST_DROPPED("request_dropped"),
  /** Responses to no outstanding request, such as those to a packet that was sent twice. */
  RESPONSE_DROPPED("response_dropped"),
  /** UC: messages abandoned in the middle because one of their packets was lost. */
  UC_MESSAGE_ABANDONED("uc_message_abandoned"),
  /** Congestion notification packets received. */
  CNP_RECEIVED("rcvd_cnp"),
  /** Congestion notification packets sent, for packets that a switch had marked. */
  CNP_SENT("sent_cnp"),
  /** Packets that arrived with ECN "congestion experienced". */
  ECN_MARKED("ecn_marked"),
  /**
   * Completions lost because their completion queue was full; it and its queue pairs have failed.
   */
  CQ_OVERFLOW("cq_overflow"),
  /** Messages of connection managers that belong to no connection here or are malformed. */
  CM_IGNORED("cm_ignored"),
  /**
   * Connection requests dropped without an answer because a backlog or table was full; the peer
   * repeats them.
   */
  CM_DROPPED("cm_dropped"),
  /** Packets for another engine of this device, such as copies for members of a group. */
  HANDED_OVER("handed_over"),
  /** Packets for another engine that was too busy to take them. */
  HANDOVER_DROPPED("handover_dropped"),
  /**
   * Datagrams that the kernel (or a network in memory) dropped because the receive buffer was full.
   */
  SOCKET_RECEIVE_DROPPED("socket_rcv_dropped"),
  /** Trains that the kernel refused to split; their packets were sent one by one. */
  GSO_REFUSED("gso_refused");

  private final String label;

  Counter(String label) {
    this.label = label;
  }

  /** The name under which it is reported. */
  public String label() {
    return label;
  }
}
