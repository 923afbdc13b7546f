package org.roce4j.hardware.bindings;

/**
 * Offsets and sizes of the structures of later verbs; {@link Structures} has those of the first
 * verbs. {@code abi/extended-layouts.c} makes the same table with the C compiler.
 */
public final class ExtendedLayouts {
  private ExtendedLayouts() {}

  /** {@code struct ibv_alloc_dm_attr}. */
  public static final class IbvAllocDmAttr {
    public static final int LENGTH = 0;
    public static final int LOG_ALIGN_REQ = 8;
    public static final int SIZE = 16;

    private IbvAllocDmAttr() {}
  }

  /** {@code struct ibv_dm}. */
  public static final class IbvDm {
    public static final int CONTEXT = 0;
    public static final int MEMCPY_TO_DM = 8;
    public static final int MEMCPY_FROM_DM = 16;
    public static final int COMP_MASK = 24;
    public static final int HANDLE = 28;
    public static final int SIZE = 32;

    private IbvDm() {}
  }

  /** {@code struct ibv_td_init_attr}. */
  public static final class IbvTdInitAttr {
    public static final int COMP_MASK = 0;
    public static final int SIZE = 4;

    private IbvTdInitAttr() {}
  }

  /** {@code struct ibv_td}. */
  public static final class IbvTd {
    public static final int CONTEXT = 0;
    public static final int SIZE = 8;

    private IbvTd() {}
  }

  /** {@code struct ibv_parent_domain_init_attr}. */
  public static final class IbvParentDomainInitAttr {
    public static final int PD = 0;
    public static final int TD = 8;
    public static final int COMP_MASK = 16;
    public static final int SIZE = 48;

    private IbvParentDomainInitAttr() {}
  }

  /** {@code struct ibv_ece}. */
  public static final class IbvEce {
    public static final int VENDOR_ID = 0;
    public static final int OPTIONS = 4;
    public static final int SIZE = 12;

    private IbvEce() {}
  }

  /** {@code struct ibv_qp_rate_limit_attr}. */
  public static final class IbvQpRateLimitAttr {
    public static final int RATE_LIMIT = 0;
    public static final int MAX_BURST_SZ = 4;
    public static final int TYPICAL_PKT_SZ = 8;
    public static final int COMP_MASK = 12;
    public static final int SIZE = 16;

    private IbvQpRateLimitAttr() {}
  }

  /** {@code struct ibv_modify_cq_attr}. */
  public static final class IbvModifyCqAttr {
    public static final int ATTR_MASK = 0;
    public static final int CQ_COUNT = 4;
    public static final int CQ_PERIOD = 6;
    public static final int SIZE = 8;

    private IbvModifyCqAttr() {}
  }

  /** {@code struct ibv_cq_init_attr_ex}. */
  public static final class IbvCqInitAttrEx {
    public static final int CQE = 0;
    public static final int CQ_CONTEXT = 8;
    public static final int CHANNEL = 16;
    public static final int COMP_VECTOR = 24;
    public static final int WC_FLAGS = 32;
    public static final int COMP_MASK = 40;
    public static final int FLAGS = 44;
    public static final int PARENT_DOMAIN = 48;
    public static final int SIZE = 56;

    private IbvCqInitAttrEx() {}
  }

  /**
   * {@code struct ibv_cq_ex}. Begins with {@code struct ibv_cq}; its functions read a completion.
   */
  public static final class IbvCqEx {
    public static final int CONTEXT = 0;
    public static final int CHANNEL = 8;
    public static final int HANDLE = 24;
    public static final int CQE = 28;
    public static final int STATUS = 132;
    public static final int WR_ID = 136;
    public static final int START_POLL = 144;
    public static final int NEXT_POLL = 152;
    public static final int END_POLL = 160;
    public static final int READ_OPCODE = 168;
    public static final int READ_VENDOR_ERR = 176;
    public static final int READ_BYTE_LEN = 184;
    public static final int READ_IMM_DATA = 192;
    public static final int READ_QP_NUM = 200;
    public static final int READ_SRC_QP = 208;
    public static final int READ_WC_FLAGS = 216;
    public static final int READ_SLID = 224;
    public static final int READ_SL = 232;
    public static final int READ_DLID_PATH_BITS = 240;
    public static final int READ_COMPLETION_TS = 248;
    public static final int READ_CVLAN = 256;
    public static final int READ_FLOW_TAG = 264;
    public static final int READ_TM_INFO = 272;
    public static final int READ_COMPLETION_WALLCLOCK_NS = 280;
    public static final int SIZE = 288;

    private IbvCqEx() {}
  }

  /** {@code struct ibv_wc_tm_info}. */
  public static final class IbvTmInfo {
    public static final int TAG = 0;
    public static final int PRIV = 8;
    public static final int SIZE = 16;

    private IbvTmInfo() {}
  }

  /** {@code struct ibv_data_buf}. */
  public static final class IbvDataBuf {
    public static final int ADDR = 0;
    public static final int LENGTH = 8;
    public static final int SIZE = 16;

    private IbvDataBuf() {}
  }

  /** {@code struct ibv_mw_bind_info}. */
  public static final class IbvMwBindInfo {
    public static final int MR = 0;
    public static final int ADDR = 8;
    public static final int LENGTH = 16;
    public static final int MW_ACCESS_FLAGS = 24;
    public static final int SIZE = 32;

    private IbvMwBindInfo() {}
  }

  /** {@code struct ibv_qp_ex}. Its functions build requests. */
  public static final class IbvQpEx {
    public static final int QP_BASE = 0;
    public static final int WR_ID = 168;
    public static final int WR_FLAGS = 176;
    public static final int WR_ATOMIC_CMP_SWP = 184;
    public static final int WR_ATOMIC_FETCH_ADD = 192;
    public static final int WR_BIND_MW = 200;
    public static final int WR_LOCAL_INV = 208;
    public static final int WR_RDMA_READ = 216;
    public static final int WR_RDMA_WRITE = 224;
    public static final int WR_RDMA_WRITE_IMM = 232;
    public static final int WR_SEND = 240;
    public static final int WR_SEND_IMM = 248;
    public static final int WR_SEND_INV = 256;
    public static final int WR_SEND_TSO = 264;
    public static final int WR_SET_UD_ADDR = 272;
    public static final int WR_SET_XRC_SRQN = 280;
    public static final int WR_SET_INLINE_DATA = 288;
    public static final int WR_SET_INLINE_DATA_LIST = 296;
    public static final int WR_SET_SGE = 304;
    public static final int WR_SET_SGE_LIST = 312;
    public static final int WR_START = 320;
    public static final int WR_COMPLETE = 328;
    public static final int WR_ABORT = 336;
    public static final int WR_ATOMIC_WRITE = 344;
    public static final int SIZE = 352;

    private IbvQpEx() {}
  }
}
