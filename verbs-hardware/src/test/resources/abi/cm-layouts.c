/*
 * Prints cm-layouts.txt: what the C compiler makes of librdmacm's structures.
 *
 *   gcc -o cm-layouts cm-layouts.c && ./cm-layouts > cm-layouts.txt
 *
 * Made with librdmacm-dev 44.0 and gcc 12.2 on x86-64.
 */
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdio.h>

#define FIELD(layout, constant, structure, member) \
  printf(#layout " " #constant " %zu\n", offsetof(struct structure, member))
#define STRUCT(layout, structure) printf(#layout " SIZE %zu\n", sizeof(struct structure))

int main(void) {
  FIELD(RdmaEventChannel, FD, rdma_event_channel, fd);
  STRUCT(RdmaEventChannel, rdma_event_channel);
  FIELD(RdmaCmId, VERBS, rdma_cm_id, verbs);
  FIELD(RdmaCmId, SRC_ADDR, rdma_cm_id, route.addr.src_storage);
  FIELD(RdmaCmId, DST_ADDR, rdma_cm_id, route.addr.dst_storage);
  FIELD(RdmaCmId, PORT_NUM, rdma_cm_id, port_num);
  STRUCT(RdmaCmId, rdma_cm_id);
  FIELD(RdmaCmEvent, ID, rdma_cm_event, id);
  FIELD(RdmaCmEvent, LISTEN_ID, rdma_cm_event, listen_id);
  FIELD(RdmaCmEvent, EVENT, rdma_cm_event, event);
  FIELD(RdmaCmEvent, STATUS, rdma_cm_event, status);
  FIELD(RdmaCmEvent, PARAM, rdma_cm_event, param);
  STRUCT(RdmaCmEvent, rdma_cm_event);
  FIELD(RdmaConnParam, PRIVATE_DATA, rdma_conn_param, private_data);
  FIELD(RdmaConnParam, PRIVATE_DATA_LEN, rdma_conn_param, private_data_len);
  FIELD(RdmaConnParam, RESPONDER_RESOURCES, rdma_conn_param, responder_resources);
  FIELD(RdmaConnParam, INITIATOR_DEPTH, rdma_conn_param, initiator_depth);
  FIELD(RdmaConnParam, FLOW_CONTROL, rdma_conn_param, flow_control);
  FIELD(RdmaConnParam, RETRY_COUNT, rdma_conn_param, retry_count);
  FIELD(RdmaConnParam, RNR_RETRY_COUNT, rdma_conn_param, rnr_retry_count);
  FIELD(RdmaConnParam, SRQ, rdma_conn_param, srq);
  FIELD(RdmaConnParam, QP_NUM, rdma_conn_param, qp_num);
  STRUCT(RdmaConnParam, rdma_conn_param);
  FIELD(RdmaUdParam, PRIVATE_DATA, rdma_ud_param, private_data);
  FIELD(RdmaUdParam, PRIVATE_DATA_LEN, rdma_ud_param, private_data_len);
  FIELD(RdmaUdParam, AH_ATTR, rdma_ud_param, ah_attr);
  FIELD(RdmaUdParam, QP_NUM, rdma_ud_param, qp_num);
  FIELD(RdmaUdParam, QKEY, rdma_ud_param, qkey);
  STRUCT(RdmaUdParam, rdma_ud_param);
  FIELD(RdmaCmJoinMcAttrEx, COMP_MASK, rdma_cm_join_mc_attr_ex, comp_mask);
  FIELD(RdmaCmJoinMcAttrEx, JOIN_FLAGS, rdma_cm_join_mc_attr_ex, join_flags);
  FIELD(RdmaCmJoinMcAttrEx, ADDR, rdma_cm_join_mc_attr_ex, addr);
  STRUCT(RdmaCmJoinMcAttrEx, rdma_cm_join_mc_attr_ex);
  FIELD(SockaddrIn, FAMILY, sockaddr_in, sin_family);
  FIELD(SockaddrIn, PORT, sockaddr_in, sin_port);
  FIELD(SockaddrIn, ADDR, sockaddr_in, sin_addr);
  STRUCT(SockaddrIn, sockaddr_in);
  FIELD(SockaddrIn6, FAMILY, sockaddr_in6, sin6_family);
  FIELD(SockaddrIn6, PORT, sockaddr_in6, sin6_port);
  FIELD(SockaddrIn6, ADDR, sockaddr_in6, sin6_addr);
  FIELD(SockaddrIn6, SCOPE_ID, sockaddr_in6, sin6_scope_id);
  STRUCT(SockaddrIn6, sockaddr_in6);
  return 0;
}
