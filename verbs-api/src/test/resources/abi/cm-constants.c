/*
 * Prints cm-constants.txt: the numbers of librdmacm.
 *
 *   gcc -o cm-constants cm-constants.c -lrdmacm && ./cm-constants > cm-constants.txt
 *
 * Made with librdmacm-dev 44.0 and gcc 12.2 on x86-64.
 */
#include <rdma/rdma_cma.h>
#include <stdio.h>

#define CONSTANT(type, name, value) printf(#type " " #name " %d\n", (int) (value))
#define EVENT(name) \
  printf("CmEventType " #name " %d %s\n", RDMA_CM_EVENT_##name, rdma_event_str(RDMA_CM_EVENT_##name))

int main(void) {
  EVENT(ADDR_RESOLVED);
  EVENT(ADDR_ERROR);
  EVENT(ROUTE_RESOLVED);
  EVENT(ROUTE_ERROR);
  EVENT(CONNECT_REQUEST);
  EVENT(CONNECT_RESPONSE);
  EVENT(CONNECT_ERROR);
  EVENT(UNREACHABLE);
  EVENT(REJECTED);
  EVENT(ESTABLISHED);
  EVENT(DISCONNECTED);
  EVENT(DEVICE_REMOVAL);
  EVENT(MULTICAST_JOIN);
  EVENT(MULTICAST_ERROR);
  EVENT(ADDR_CHANGE);
  EVENT(TIMEWAIT_EXIT);
  CONSTANT(PortSpace, IPOIB, RDMA_PS_IPOIB);
  CONSTANT(PortSpace, TCP, RDMA_PS_TCP);
  CONSTANT(PortSpace, UDP, RDMA_PS_UDP);
  CONSTANT(PortSpace, IB, RDMA_PS_IB);
  CONSTANT(CmOption.level, TOS, RDMA_OPTION_ID);
  CONSTANT(CmOption.level, IB_PATH, RDMA_OPTION_IB);
  CONSTANT(CmOption.number, TOS, RDMA_OPTION_ID_TOS);
  CONSTANT(CmOption.number, REUSEADDR, RDMA_OPTION_ID_REUSEADDR);
  CONSTANT(CmOption.number, AFONLY, RDMA_OPTION_ID_AFONLY);
  CONSTANT(CmOption.number, ACK_TIMEOUT, RDMA_OPTION_ID_ACK_TIMEOUT);
  CONSTANT(CmOption.number, IB_PATH, RDMA_OPTION_IB_PATH);
  CONSTANT(JoinFlag, FULLMEMBER, RDMA_MC_JOIN_FLAG_FULLMEMBER);
  CONSTANT(JoinFlag, SENDONLY_FULLMEMBER, RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER);
  CONSTANT(ConnParam, MAX_RESP_RES, RDMA_MAX_RESP_RES);
  CONSTANT(ConnParam, MAX_INIT_DEPTH, RDMA_MAX_INIT_DEPTH);
  CONSTANT(UdParam, QKEY, RDMA_UDP_QKEY);
  CONSTANT(AddrInfo, PASSIVE, RAI_PASSIVE);
  CONSTANT(AddrInfo, NUMERICHOST, RAI_NUMERICHOST);
  CONSTANT(AddrInfo, NOROUTE, RAI_NOROUTE);
  CONSTANT(AddrInfo, FAMILY, RAI_FAMILY);
  return 0;
}
