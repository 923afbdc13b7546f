package org.roce4j.engine.counter;

/**
 * What is counted. The first group bears the names of Linux rxe's {@code hw_counters}, the second
 * those of mlx5.
 */
public enum Counter {
  SENT_PACKETS("sent_pkts"),
  RECEIVED_PACKETS("rcvd_pkts"),
  DUPLICATE_REQUEST("duplicate_request"),
  OUT_OF_SEQUENCE_REQUEST("out_of_seq_request"),
  RECEIVED_RNR("rcvd_rnr_err"),
  SENT_RNR("send_rnr_err"),
  RECEIVED_SEQUENCE_NAK("rcvd_seq_err"),
  ACK_DEFERRED("ack_deferred"),
  RETRY_EXCEEDED("retry_exceeded_err"),
  RNR_RETRY_EXCEEDED("retry_rnr_exceeded_err"),
  COMPLETER_RETRY("completer_retry_err"),
  SEND_ERROR("send_err"),
  LINK_DOWNED("link_downed"),
  RDMA_SENDS("rdma_sends"),
  RDMA_RECEIVES("rdma_recvs"),

  REQUESTER_CQE_ERROR("req_cqe_error"),
  REQUESTER_CQE_FLUSHED("req_cqe_flush_error"),
  REMOTE_INVALID_REQUEST("req_remote_invalid_request"),
  REMOTE_ACCESS_ERROR("req_remote_access_errors"),
  RESPONDER_CQE_ERROR("resp_cqe_error"),
  RESPONDER_CQE_FLUSHED("resp_cqe_flush_error"),
  RESPONDER_LENGTH_ERROR("resp_local_length_error"),
  RESPONDER_ACCESS_ERROR("resp_remote_access_errors"),
  OUT_OF_BUFFER("out_of_buffer"),

  REMOTE_OPERATION_ERROR("req_remote_op_errors"),
  RESPONDER_INVALID_REQUEST("resp_invalid_request"),
  RESPONDER_PROTECTION_ERROR("resp_local_prot_error"),

  SENT_BYTES("sent_bytes"),
  RECEIVED_BYTES("rcvd_bytes"),
  SENT_TRAINS("sent_trains"),
  REQUESTS_HELD("requests_held"),
  RECEIVED_TRAINS("rcvd_trains"),
  SENT_SEQUENCE_NAK("sent_seq_nak"),
  SENT_ACKS("sent_acks"),
  RECEIVED_ACKS("rcvd_acks"),
  ACK_TIMEOUT("ack_timeout"),
  RESPONSE_GAP("response_gap"),
  LOSS_PROBE("loss_probe"),
  RETRANSMITTED_PACKETS("retransmitted_pkts"),
  PARTIAL_READ_REPLAY("partial_read_replay"),
  ATOMIC_REPLAY("atomic_replay"),
  PSN_WRAP("psn_wrap"),
  ICRC_ERROR("icrc_err"),
  ICRC_SOLVED("icrc_solved"),
  MALFORMED("malformed_pkts"),
  BAD_PKEY("bad_pkey"),
  BAD_QKEY("bad_qkey"),
  UNKNOWN_QP("unknown_qp"),
  WRONG_SERVICE("wrong_service"),
  WRONG_STATE("wrong_state"),
  WRONG_ADDRESS("wrong_address"),
  REQUEST_DROPPED("request_dropped"),
  RESPONSE_DROPPED("response_dropped"),
  UC_MESSAGE_ABANDONED("uc_message_abandoned"),
  CNP_RECEIVED("rcvd_cnp"),
  CNP_SENT("sent_cnp"),
  ECN_MARKED("ecn_marked"),
  CQ_OVERFLOW("cq_overflow"),
  CM_IGNORED("cm_ignored"),
  CM_DROPPED("cm_dropped"),
  HANDED_OVER("handed_over"),
  HANDOVER_DROPPED("handover_dropped"),
  SOCKET_RECEIVE_DROPPED("socket_rcv_dropped"),
  GSO_REFUSED("gso_refused");

  private final String label;

  Counter(String label) {
    this.label = label;
  }

  /** The name under which it is shown. */
  public String label() {
    return label;
  }
}
