/*
 * Prints extended-layouts.txt: what the C compiler makes of libibverbs' structures of the verbs that
 * came later.
 *
 *   gcc -o extended-layouts extended-layouts.c && ./extended-layouts > extended-layouts.txt
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
  FIELD(IbvAllocDmAttr, LENGTH, ibv_alloc_dm_attr, length);
  FIELD(IbvAllocDmAttr, LOG_ALIGN_REQ, ibv_alloc_dm_attr, log_align_req);
  STRUCT(IbvAllocDmAttr, ibv_alloc_dm_attr);
  FIELD(IbvDm, CONTEXT, ibv_dm, context);
  FIELD(IbvDm, MEMCPY_TO_DM, ibv_dm, memcpy_to_dm);
  FIELD(IbvDm, MEMCPY_FROM_DM, ibv_dm, memcpy_from_dm);
  FIELD(IbvDm, COMP_MASK, ibv_dm, comp_mask);
  FIELD(IbvDm, HANDLE, ibv_dm, handle);
  STRUCT(IbvDm, ibv_dm);
  FIELD(IbvTdInitAttr, COMP_MASK, ibv_td_init_attr, comp_mask);
  STRUCT(IbvTdInitAttr, ibv_td_init_attr);
  FIELD(IbvTd, CONTEXT, ibv_td, context);
  STRUCT(IbvTd, ibv_td);
  FIELD(IbvParentDomainInitAttr, PD, ibv_parent_domain_init_attr, pd);
  FIELD(IbvParentDomainInitAttr, TD, ibv_parent_domain_init_attr, td);
  FIELD(IbvParentDomainInitAttr, COMP_MASK, ibv_parent_domain_init_attr, comp_mask);
  STRUCT(IbvParentDomainInitAttr, ibv_parent_domain_init_attr);
  FIELD(IbvEce, VENDOR_ID, ibv_ece, vendor_id);
  FIELD(IbvEce, OPTIONS, ibv_ece, options);
  STRUCT(IbvEce, ibv_ece);
  FIELD(IbvQpRateLimitAttr, RATE_LIMIT, ibv_qp_rate_limit_attr, rate_limit);
  FIELD(IbvQpRateLimitAttr, MAX_BURST_SZ, ibv_qp_rate_limit_attr, max_burst_sz);
  FIELD(IbvQpRateLimitAttr, TYPICAL_PKT_SZ, ibv_qp_rate_limit_attr, typical_pkt_sz);
  FIELD(IbvQpRateLimitAttr, COMP_MASK, ibv_qp_rate_limit_attr, comp_mask);
  STRUCT(IbvQpRateLimitAttr, ibv_qp_rate_limit_attr);
  FIELD(IbvModifyCqAttr, ATTR_MASK, ibv_modify_cq_attr, attr_mask);
  FIELD(IbvModifyCqAttr, CQ_COUNT, ibv_modify_cq_attr, moderate.cq_count);
  FIELD(IbvModifyCqAttr, CQ_PERIOD, ibv_modify_cq_attr, moderate.cq_period);
  STRUCT(IbvModifyCqAttr, ibv_modify_cq_attr);
  FIELD(IbvCqInitAttrEx, CQE, ibv_cq_init_attr_ex, cqe);
  FIELD(IbvCqInitAttrEx, CQ_CONTEXT, ibv_cq_init_attr_ex, cq_context);
  FIELD(IbvCqInitAttrEx, CHANNEL, ibv_cq_init_attr_ex, channel);
  FIELD(IbvCqInitAttrEx, COMP_VECTOR, ibv_cq_init_attr_ex, comp_vector);
  FIELD(IbvCqInitAttrEx, WC_FLAGS, ibv_cq_init_attr_ex, wc_flags);
  FIELD(IbvCqInitAttrEx, COMP_MASK, ibv_cq_init_attr_ex, comp_mask);
  FIELD(IbvCqInitAttrEx, FLAGS, ibv_cq_init_attr_ex, flags);
  FIELD(IbvCqInitAttrEx, PARENT_DOMAIN, ibv_cq_init_attr_ex, parent_domain);
  STRUCT(IbvCqInitAttrEx, ibv_cq_init_attr_ex);
  FIELD(IbvCqEx, CONTEXT, ibv_cq_ex, context);
  FIELD(IbvCqEx, CHANNEL, ibv_cq_ex, channel);
  FIELD(IbvCqEx, HANDLE, ibv_cq_ex, handle);
  FIELD(IbvCqEx, CQE, ibv_cq_ex, cqe);
  FIELD(IbvCqEx, STATUS, ibv_cq_ex, status);
  FIELD(IbvCqEx, WR_ID, ibv_cq_ex, wr_id);
  FIELD(IbvCqEx, START_POLL, ibv_cq_ex, start_poll);
  FIELD(IbvCqEx, NEXT_POLL, ibv_cq_ex, next_poll);
  FIELD(IbvCqEx, END_POLL, ibv_cq_ex, end_poll);
  FIELD(IbvCqEx, READ_OPCODE, ibv_cq_ex, read_opcode);
  FIELD(IbvCqEx, READ_VENDOR_ERR, ibv_cq_ex, read_vendor_err);
  FIELD(IbvCqEx, READ_BYTE_LEN, ibv_cq_ex, read_byte_len);
  FIELD(IbvCqEx, READ_IMM_DATA, ibv_cq_ex, read_imm_data);
  FIELD(IbvCqEx, READ_QP_NUM, ibv_cq_ex, read_qp_num);
  FIELD(IbvCqEx, READ_SRC_QP, ibv_cq_ex, read_src_qp);
  FIELD(IbvCqEx, READ_WC_FLAGS, ibv_cq_ex, read_wc_flags);
  FIELD(IbvCqEx, READ_SLID, ibv_cq_ex, read_slid);
  FIELD(IbvCqEx, READ_SL, ibv_cq_ex, read_sl);
  FIELD(IbvCqEx, READ_DLID_PATH_BITS, ibv_cq_ex, read_dlid_path_bits);
  FIELD(IbvCqEx, READ_COMPLETION_TS, ibv_cq_ex, read_completion_ts);
  FIELD(IbvCqEx, READ_CVLAN, ibv_cq_ex, read_cvlan);
  FIELD(IbvCqEx, READ_FLOW_TAG, ibv_cq_ex, read_flow_tag);
  FIELD(IbvCqEx, READ_TM_INFO, ibv_cq_ex, read_tm_info);
  FIELD(IbvCqEx, READ_COMPLETION_WALLCLOCK_NS, ibv_cq_ex, read_completion_wallclock_ns);
  STRUCT(IbvCqEx, ibv_cq_ex);
  FIELD(IbvTmInfo, TAG, ibv_wc_tm_info, tag);
  FIELD(IbvTmInfo, PRIV, ibv_wc_tm_info, priv);
  STRUCT(IbvTmInfo, ibv_wc_tm_info);
  FIELD(IbvDataBuf, ADDR, ibv_data_buf, addr);
  FIELD(IbvDataBuf, LENGTH, ibv_data_buf, length);
  STRUCT(IbvDataBuf, ibv_data_buf);
  FIELD(IbvMwBindInfo, MR, ibv_mw_bind_info, mr);
  FIELD(IbvMwBindInfo, ADDR, ibv_mw_bind_info, addr);
  FIELD(IbvMwBindInfo, LENGTH, ibv_mw_bind_info, length);
  FIELD(IbvMwBindInfo, MW_ACCESS_FLAGS, ibv_mw_bind_info, mw_access_flags);
  STRUCT(IbvMwBindInfo, ibv_mw_bind_info);
  FIELD(IbvQpEx, QP_BASE, ibv_qp_ex, qp_base);
  FIELD(IbvQpEx, WR_ID, ibv_qp_ex, wr_id);
  FIELD(IbvQpEx, WR_FLAGS, ibv_qp_ex, wr_flags);
  FIELD(IbvQpEx, WR_ATOMIC_CMP_SWP, ibv_qp_ex, wr_atomic_cmp_swp);
  FIELD(IbvQpEx, WR_ATOMIC_FETCH_ADD, ibv_qp_ex, wr_atomic_fetch_add);
  FIELD(IbvQpEx, WR_BIND_MW, ibv_qp_ex, wr_bind_mw);
  FIELD(IbvQpEx, WR_LOCAL_INV, ibv_qp_ex, wr_local_inv);
  FIELD(IbvQpEx, WR_RDMA_READ, ibv_qp_ex, wr_rdma_read);
  FIELD(IbvQpEx, WR_RDMA_WRITE, ibv_qp_ex, wr_rdma_write);
  FIELD(IbvQpEx, WR_RDMA_WRITE_IMM, ibv_qp_ex, wr_rdma_write_imm);
  FIELD(IbvQpEx, WR_SEND, ibv_qp_ex, wr_send);
  FIELD(IbvQpEx, WR_SEND_IMM, ibv_qp_ex, wr_send_imm);
  FIELD(IbvQpEx, WR_SEND_INV, ibv_qp_ex, wr_send_inv);
  FIELD(IbvQpEx, WR_SEND_TSO, ibv_qp_ex, wr_send_tso);
  FIELD(IbvQpEx, WR_SET_UD_ADDR, ibv_qp_ex, wr_set_ud_addr);
  FIELD(IbvQpEx, WR_SET_XRC_SRQN, ibv_qp_ex, wr_set_xrc_srqn);
  FIELD(IbvQpEx, WR_SET_INLINE_DATA, ibv_qp_ex, wr_set_inline_data);
  FIELD(IbvQpEx, WR_SET_INLINE_DATA_LIST, ibv_qp_ex, wr_set_inline_data_list);
  FIELD(IbvQpEx, WR_SET_SGE, ibv_qp_ex, wr_set_sge);
  FIELD(IbvQpEx, WR_SET_SGE_LIST, ibv_qp_ex, wr_set_sge_list);
  FIELD(IbvQpEx, WR_START, ibv_qp_ex, wr_start);
  FIELD(IbvQpEx, WR_COMPLETE, ibv_qp_ex, wr_complete);
  FIELD(IbvQpEx, WR_ABORT, ibv_qp_ex, wr_abort);
  FIELD(IbvQpEx, WR_ATOMIC_WRITE, ibv_qp_ex, wr_atomic_write);
  STRUCT(IbvQpEx, ibv_qp_ex);
  return 0;
}
