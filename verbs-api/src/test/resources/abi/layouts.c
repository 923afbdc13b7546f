/*
 * Prints layouts.txt: what the C compiler makes of libibverbs' data-path structures.
 *
 *   gcc -o layouts layouts.c && ./layouts > layouts.txt
 *
 * Made with libibverbs-dev 44.0 and gcc 12.2 on x86-64.
 */
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdio.h>

#define FIELD(layout, constant, structure, member) \
  printf(#layout " " #constant " %zu\n", offsetof(struct structure, member))
#define STRUCT(layout, structure) printf(#layout " SIZE %zu\n", sizeof(struct structure))

int main(void) {
  FIELD(SgeLayout, ADDR, ibv_sge, addr);
  FIELD(SgeLayout, LENGTH, ibv_sge, length);
  FIELD(SgeLayout, LKEY, ibv_sge, lkey);
  STRUCT(SgeLayout, ibv_sge);
  FIELD(RecvWrLayout, WR_ID, ibv_recv_wr, wr_id);
  FIELD(RecvWrLayout, NEXT, ibv_recv_wr, next);
  FIELD(RecvWrLayout, SG_LIST, ibv_recv_wr, sg_list);
  FIELD(RecvWrLayout, NUM_SGE, ibv_recv_wr, num_sge);
  STRUCT(RecvWrLayout, ibv_recv_wr);
  FIELD(SendWrLayout, WR_ID, ibv_send_wr, wr_id);
  FIELD(SendWrLayout, NEXT, ibv_send_wr, next);
  FIELD(SendWrLayout, SG_LIST, ibv_send_wr, sg_list);
  FIELD(SendWrLayout, NUM_SGE, ibv_send_wr, num_sge);
  FIELD(SendWrLayout, OPCODE, ibv_send_wr, opcode);
  FIELD(SendWrLayout, SEND_FLAGS, ibv_send_wr, send_flags);
  FIELD(SendWrLayout, IMM_DATA, ibv_send_wr, imm_data);
  FIELD(SendWrLayout, INVALIDATE_RKEY, ibv_send_wr, invalidate_rkey);
  FIELD(SendWrLayout, RDMA_REMOTE_ADDR, ibv_send_wr, wr.rdma.remote_addr);
  FIELD(SendWrLayout, RDMA_RKEY, ibv_send_wr, wr.rdma.rkey);
  FIELD(SendWrLayout, ATOMIC_REMOTE_ADDR, ibv_send_wr, wr.atomic.remote_addr);
  FIELD(SendWrLayout, ATOMIC_COMPARE_ADD, ibv_send_wr, wr.atomic.compare_add);
  FIELD(SendWrLayout, ATOMIC_SWAP, ibv_send_wr, wr.atomic.swap);
  FIELD(SendWrLayout, ATOMIC_RKEY, ibv_send_wr, wr.atomic.rkey);
  FIELD(SendWrLayout, UD_AH, ibv_send_wr, wr.ud.ah);
  FIELD(SendWrLayout, UD_REMOTE_QPN, ibv_send_wr, wr.ud.remote_qpn);
  FIELD(SendWrLayout, UD_REMOTE_QKEY, ibv_send_wr, wr.ud.remote_qkey);
  FIELD(SendWrLayout, XRC_REMOTE_SRQN, ibv_send_wr, qp_type.xrc.remote_srqn);
  FIELD(SendWrLayout, BIND_MW, ibv_send_wr, bind_mw.mw);
  FIELD(SendWrLayout, BIND_RKEY, ibv_send_wr, bind_mw.rkey);
  FIELD(SendWrLayout, BIND_MR, ibv_send_wr, bind_mw.bind_info.mr);
  FIELD(SendWrLayout, BIND_ADDR, ibv_send_wr, bind_mw.bind_info.addr);
  FIELD(SendWrLayout, BIND_LENGTH, ibv_send_wr, bind_mw.bind_info.length);
  FIELD(SendWrLayout, BIND_ACCESS_FLAGS, ibv_send_wr, bind_mw.bind_info.mw_access_flags);
  STRUCT(SendWrLayout, ibv_send_wr);
  FIELD(WcLayout, WR_ID, ibv_wc, wr_id);
  FIELD(WcLayout, STATUS, ibv_wc, status);
  FIELD(WcLayout, OPCODE, ibv_wc, opcode);
  FIELD(WcLayout, VENDOR_ERR, ibv_wc, vendor_err);
  FIELD(WcLayout, BYTE_LEN, ibv_wc, byte_len);
  FIELD(WcLayout, IMM_DATA, ibv_wc, imm_data);
  FIELD(WcLayout, INVALIDATED_RKEY, ibv_wc, invalidated_rkey);
  FIELD(WcLayout, QP_NUM, ibv_wc, qp_num);
  FIELD(WcLayout, SRC_QP, ibv_wc, src_qp);
  FIELD(WcLayout, WC_FLAGS, ibv_wc, wc_flags);
  FIELD(WcLayout, PKEY_INDEX, ibv_wc, pkey_index);
  FIELD(WcLayout, SLID, ibv_wc, slid);
  FIELD(WcLayout, SL, ibv_wc, sl);
  FIELD(WcLayout, DLID_PATH_BITS, ibv_wc, dlid_path_bits);
  STRUCT(WcLayout, ibv_wc);
  return 0;
}
