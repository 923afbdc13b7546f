package org.roce4j.hardware.bindings;

/**
 * The offsets of the fields of libibverbs' structures, in bytes, on 64-bit Linux: the stable ABI of
 * {@code infiniband/verbs.h}. {@code abi/layouts.c} makes the same table with the C compiler;
 * {@link LayoutCheck} compares known values with the library at run time.
 */
public final class Structures {
  private Structures() {}

  /** {@code struct ibv_device}. A device of the list. */
  public static final class IbvDevice {
    public static final int NODE_TYPE = 16;
    public static final int TRANSPORT_TYPE = 20;
    public static final int NAME = 24;
    public static final int DEV_NAME = 88;
    public static final int DEV_PATH = 152;
    public static final int IBDEV_PATH = 408;
    public static final int SIZE = 664;

    private IbvDevice() {}
  }

  /** {@code struct ibv_context}. An opened device; its function pointers are the data path. */
  public static final class IbvContext {
    public static final int DEVICE = 0;
    public static final int ALLOC_MW = 64;
    public static final int BIND_MW = 72;
    public static final int DEALLOC_MW = 80;
    public static final int POLL_CQ = 96;
    public static final int REQ_NOTIFY_CQ = 104;
    public static final int POST_SRQ_RECV = 168;
    public static final int POST_SEND = 208;
    public static final int POST_RECV = 216;
    public static final int CMD_FD = 264;
    public static final int ASYNC_FD = 268;
    public static final int NUM_COMP_VECTORS = 272;
    public static final int ABI_COMPAT = 320;
    public static final int SIZE = 328;

    private IbvContext() {}
  }

  /**
   * {@code struct verbs_context}, which precedes a context since the second ABI; it grows at its
   * start.
   */
  public static final class VerbsContext {
    public static final int QUERY_PORT = 0;
    public static final int ADVISE_MR = 8;
    public static final int ALLOC_NULL_MR = 16;
    public static final int REG_DM_MR = 56;
    public static final int ALLOC_DM = 64;
    public static final int FREE_DM = 72;
    public static final int MODIFY_CQ = 136;
    public static final int MODIFY_QP_RATE_LIMIT = 104;
    public static final int ALLOC_PARENT_DOMAIN = 112;
    public static final int DEALLOC_TD = 120;
    public static final int ALLOC_TD = 128;
    public static final int QUERY_DEVICE_EX = 216;
    public static final int OPEN_QP = 256;
    public static final int GET_SRQ_NUM = 272;
    public static final int CREATE_SRQ_EX = 280;
    public static final int OPEN_XRCD = 288;
    public static final int CLOSE_XRCD = 296;
    public static final int CREATE_QP_EX = 264;
    public static final int CREATE_CQ_EX = 200;
    public static final int SZ = 312;
    public static final int CONTEXT = 320;
    public static final int SIZE = 648;

    private VerbsContext() {}
  }

  /** {@code struct ibv_device_attr}. */
  public static final class IbvDeviceAttr {
    public static final int FW_VER = 0;
    public static final int NODE_GUID = 64;
    public static final int SYS_IMAGE_GUID = 72;
    public static final int MAX_MR_SIZE = 80;
    public static final int PAGE_SIZE_CAP = 88;
    public static final int VENDOR_ID = 96;
    public static final int VENDOR_PART_ID = 100;
    public static final int HW_VER = 104;
    public static final int MAX_QP = 108;
    public static final int MAX_QP_WR = 112;
    public static final int DEVICE_CAP_FLAGS = 116;
    public static final int MAX_SGE = 120;
    public static final int MAX_SGE_RD = 124;
    public static final int MAX_CQ = 128;
    public static final int MAX_CQE = 132;
    public static final int MAX_MR = 136;
    public static final int MAX_PD = 140;
    public static final int MAX_QP_RD_ATOM = 144;
    public static final int MAX_EE_RD_ATOM = 148;
    public static final int MAX_RES_RD_ATOM = 152;
    public static final int MAX_QP_INIT_RD_ATOM = 156;
    public static final int MAX_EE_INIT_RD_ATOM = 160;
    public static final int ATOMIC_CAP = 164;
    public static final int MAX_EE = 168;
    public static final int MAX_RDD = 172;
    public static final int MAX_MW = 176;
    public static final int MAX_RAW_IPV6_QP = 180;
    public static final int MAX_RAW_ETHY_QP = 184;
    public static final int MAX_MCAST_GRP = 188;
    public static final int MAX_MCAST_QP_ATTACH = 192;
    public static final int MAX_TOTAL_MCAST_QP_ATTACH = 196;
    public static final int MAX_AH = 200;
    public static final int MAX_FMR = 204;
    public static final int MAX_MAP_PER_FMR = 208;
    public static final int MAX_SRQ = 212;
    public static final int MAX_SRQ_WR = 216;
    public static final int MAX_SRQ_SGE = 220;
    public static final int MAX_PKEYS = 224;
    public static final int LOCAL_CA_ACK_DELAY = 226;
    public static final int PHYS_PORT_CNT = 227;
    public static final int SIZE = 232;

    private IbvDeviceAttr() {}
  }

  /** {@code struct ibv_device_attr_ex}. */
  public static final class IbvDeviceAttrEx {
    public static final int ORIG_ATTR = 0;
    public static final int COMP_MASK = 232;
    public static final int ODP_GENERAL_CAPS = 240;
    public static final int RC_ODP_CAPS = 248;
    public static final int UC_ODP_CAPS = 252;
    public static final int UD_ODP_CAPS = 256;
    public static final int COMPLETION_TIMESTAMP_MASK = 264;
    public static final int HCA_CORE_CLOCK = 272;
    public static final int DEVICE_CAP_FLAGS_EX = 280;
    public static final int MAX_TSO = 288;
    public static final int TSO_SUPPORTED_QPTS = 292;
    public static final int RSS_SUPPORTED_QPTS = 296;
    public static final int MAX_RWQ_INDIRECTION_TABLES = 300;
    public static final int MAX_RWQ_INDIRECTION_TABLE_SIZE = 304;
    public static final int RX_HASH_FIELDS_MASK = 312;
    public static final int RX_HASH_FUNCTION = 320;
    public static final int MAX_WQ_TYPE_RQ = 328;
    public static final int QP_RATE_LIMIT_MIN = 332;
    public static final int QP_RATE_LIMIT_MAX = 336;
    public static final int PACING_SUPPORTED_QPTS = 340;
    public static final int RAW_PACKET_CAPS = 344;
    public static final int TM_MAX_RNDV_HDR_SIZE = 348;
    public static final int TM_MAX_NUM_TAGS = 352;
    public static final int TM_FLAGS = 356;
    public static final int TM_MAX_OPS = 360;
    public static final int TM_MAX_SGE = 364;
    public static final int MAX_CQ_COUNT = 368;
    public static final int MAX_CQ_PERIOD = 370;
    public static final int MAX_DM_SIZE = 376;
    public static final int PCI_FETCH_ADD = 384;
    public static final int PCI_SWAP = 386;
    public static final int PCI_COMPARE_SWAP = 388;
    public static final int XRC_ODP_CAPS = 392;
    public static final int PHYS_PORT_CNT_EX = 396;
    public static final int SIZE = 400;

    private IbvDeviceAttrEx() {}
  }

  /** {@code struct ibv_port_attr}. */
  public static final class IbvPortAttr {
    public static final int STATE = 0;
    public static final int MAX_MTU = 4;
    public static final int ACTIVE_MTU = 8;
    public static final int GID_TBL_LEN = 12;
    public static final int PORT_CAP_FLAGS = 16;
    public static final int MAX_MSG_SZ = 20;
    public static final int BAD_PKEY_CNTR = 24;
    public static final int QKEY_VIOL_CNTR = 28;
    public static final int PKEY_TBL_LEN = 32;
    public static final int LID = 34;
    public static final int SM_LID = 36;
    public static final int LMC = 38;
    public static final int MAX_VL_NUM = 39;
    public static final int SM_SL = 40;
    public static final int SUBNET_TIMEOUT = 41;
    public static final int INIT_TYPE_REPLY = 42;
    public static final int ACTIVE_WIDTH = 43;
    public static final int ACTIVE_SPEED = 44;
    public static final int PHYS_STATE = 45;
    public static final int LINK_LAYER = 46;
    public static final int FLAGS = 47;
    public static final int PORT_CAP_FLAGS2 = 48;
    public static final int SIZE = 52;

    private IbvPortAttr() {}
  }

  /** {@code struct ibv_gid_entry}. */
  public static final class IbvGidEntry {
    public static final int GID = 0;
    public static final int GID_INDEX = 16;
    public static final int PORT_NUM = 20;
    public static final int GID_TYPE = 24;
    public static final int NDEV_IFINDEX = 28;
    public static final int SIZE = 32;

    private IbvGidEntry() {}
  }

  /** {@code struct ibv_pd}. */
  public static final class IbvPd {
    public static final int CONTEXT = 0;
    public static final int HANDLE = 8;
    public static final int SIZE = 16;

    private IbvPd() {}
  }

  /** {@code struct ibv_mr}. */
  public static final class IbvMr {
    public static final int CONTEXT = 0;
    public static final int PD = 8;
    public static final int ADDR = 16;
    public static final int LENGTH = 24;
    public static final int HANDLE = 32;
    public static final int LKEY = 36;
    public static final int RKEY = 40;
    public static final int SIZE = 48;

    private IbvMr() {}
  }

  /** {@code struct ibv_mw}. */
  public static final class IbvMw {
    public static final int CONTEXT = 0;
    public static final int PD = 8;
    public static final int RKEY = 16;
    public static final int HANDLE = 20;
    public static final int TYPE = 24;
    public static final int SIZE = 32;

    private IbvMw() {}
  }

  /** {@code struct ibv_mw_bind}. */
  public static final class IbvMwBind {
    public static final int WR_ID = 0;
    public static final int SEND_FLAGS = 8;
    public static final int MR = 16;
    public static final int ADDR = 24;
    public static final int LENGTH = 32;
    public static final int MW_ACCESS_FLAGS = 40;
    public static final int SIZE = 48;

    private IbvMwBind() {}
  }

  /** {@code struct ibv_comp_channel}. */
  public static final class IbvCompChannel {
    public static final int CONTEXT = 0;
    public static final int FD = 8;
    public static final int SIZE = 16;

    private IbvCompChannel() {}
  }

  /** {@code struct ibv_cq}. */
  public static final class IbvCq {
    public static final int CONTEXT = 0;
    public static final int CHANNEL = 8;
    public static final int CQ_CONTEXT = 16;
    public static final int HANDLE = 24;
    public static final int CQE = 28;
    public static final int SIZE = 128;

    private IbvCq() {}
  }

  /** {@code struct ibv_srq}. */
  public static final class IbvSrq {
    public static final int CONTEXT = 0;
    public static final int SRQ_CONTEXT = 8;
    public static final int PD = 16;
    public static final int HANDLE = 24;
    public static final int SIZE = 128;

    private IbvSrq() {}
  }

  /** {@code struct ibv_srq_attr}. */
  public static final class IbvSrqAttr {
    public static final int MAX_WR = 0;
    public static final int MAX_SGE = 4;
    public static final int SRQ_LIMIT = 8;
    public static final int SIZE = 12;

    private IbvSrqAttr() {}
  }

  /** {@code struct ibv_srq_init_attr}. */
  public static final class IbvSrqInitAttr {
    public static final int SRQ_CONTEXT = 0;
    public static final int ATTR = 8;
    public static final int SIZE = 24;

    private IbvSrqInitAttr() {}
  }

  /** {@code struct ibv_xrcd}. */
  public static final class IbvXrcd {
    public static final int CONTEXT = 0;
    public static final int SIZE = 8;

    private IbvXrcd() {}
  }

  /** {@code struct ibv_xrcd_init_attr}. */
  public static final class IbvXrcdInitAttr {
    public static final int COMP_MASK = 0;
    public static final int FD = 4;
    public static final int OFLAGS = 8;
    public static final int SIZE = 12;

    private IbvXrcdInitAttr() {}
  }

  /** {@code struct ibv_srq_init_attr_ex}. */
  public static final class IbvSrqInitAttrEx {
    public static final int ATTR = 8;
    public static final int COMP_MASK = 20;
    public static final int SRQ_TYPE = 24;
    public static final int PD = 32;
    public static final int XRCD = 40;
    public static final int CQ = 48;
    public static final int SIZE = 64;

    private IbvSrqInitAttrEx() {}
  }

  /** {@code struct ibv_qp_open_attr}. */
  public static final class IbvQpOpenAttr {
    public static final int COMP_MASK = 0;
    public static final int QP_NUM = 4;
    public static final int XRCD = 8;
    public static final int QP_TYPE = 24;
    public static final int SIZE = 32;

    private IbvQpOpenAttr() {}
  }

  /** {@code struct ibv_qp}. */
  public static final class IbvQp {
    public static final int CONTEXT = 0;
    public static final int QP_CONTEXT = 8;
    public static final int PD = 16;
    public static final int SEND_CQ = 24;
    public static final int RECV_CQ = 32;
    public static final int SRQ = 40;
    public static final int HANDLE = 48;
    public static final int QP_NUM = 52;
    public static final int STATE = 56;
    public static final int QP_TYPE = 60;
    public static final int SIZE = 160;

    private IbvQp() {}
  }

  /** {@code struct ibv_qp_cap}. */
  public static final class IbvQpCap {
    public static final int MAX_SEND_WR = 0;
    public static final int MAX_RECV_WR = 4;
    public static final int MAX_SEND_SGE = 8;
    public static final int MAX_RECV_SGE = 12;
    public static final int MAX_INLINE_DATA = 16;
    public static final int SIZE = 20;

    private IbvQpCap() {}
  }

  /** {@code struct ibv_qp_init_attr}. */
  public static final class IbvQpInitAttr {
    public static final int QP_CONTEXT = 0;
    public static final int SEND_CQ = 8;
    public static final int RECV_CQ = 16;
    public static final int SRQ = 24;
    public static final int CAP = 32;
    public static final int QP_TYPE = 52;
    public static final int SQ_SIG_ALL = 56;
    public static final int SIZE = 64;

    private IbvQpInitAttr() {}
  }

  /** {@code struct ibv_qp_init_attr_ex}. Begins like {@link IbvQpInitAttr}. */
  public static final class IbvQpInitAttrEx {
    public static final int SQ_SIG_ALL = 56;
    public static final int COMP_MASK = 60;
    public static final int XRCD = 72;
    public static final int PD = 64;
    public static final int CREATE_FLAGS = 80;
    public static final int SOURCE_QPN = 120;
    public static final int SEND_OPS_FLAGS = 128;
    public static final int SIZE = 136;

    private IbvQpInitAttrEx() {}
  }

  /** {@code struct ibv_qp_attr}. */
  public static final class IbvQpAttr {
    public static final int QP_STATE = 0;
    public static final int CUR_QP_STATE = 4;
    public static final int PATH_MTU = 8;
    public static final int PATH_MIG_STATE = 12;
    public static final int QKEY = 16;
    public static final int RQ_PSN = 20;
    public static final int SQ_PSN = 24;
    public static final int DEST_QP_NUM = 28;
    public static final int QP_ACCESS_FLAGS = 32;
    public static final int CAP = 36;
    public static final int AH_ATTR = 56;
    public static final int ALT_AH_ATTR = 88;
    public static final int PKEY_INDEX = 120;
    public static final int ALT_PKEY_INDEX = 122;
    public static final int EN_SQD_ASYNC_NOTIFY = 124;
    public static final int SQ_DRAINING = 125;
    public static final int MAX_RD_ATOMIC = 126;
    public static final int MAX_DEST_RD_ATOMIC = 127;
    public static final int MIN_RNR_TIMER = 128;
    public static final int PORT_NUM = 129;
    public static final int TIMEOUT = 130;
    public static final int RETRY_CNT = 131;
    public static final int RNR_RETRY = 132;
    public static final int ALT_PORT_NUM = 133;
    public static final int ALT_TIMEOUT = 134;
    public static final int RATE_LIMIT = 136;
    public static final int SIZE = 144;

    private IbvQpAttr() {}
  }

  /** {@code struct ibv_ah}. */
  public static final class IbvAh {
    public static final int CONTEXT = 0;
    public static final int PD = 8;
    public static final int HANDLE = 16;
    public static final int SIZE = 24;

    private IbvAh() {}
  }

  /** {@code struct ibv_ah_attr}. */
  public static final class IbvAhAttr {
    public static final int DGID = 0;
    public static final int FLOW_LABEL = 16;
    public static final int SGID_INDEX = 20;
    public static final int HOP_LIMIT = 21;
    public static final int TRAFFIC_CLASS = 22;
    public static final int DLID = 24;
    public static final int SL = 26;
    public static final int SRC_PATH_BITS = 27;
    public static final int STATIC_RATE = 28;
    public static final int IS_GLOBAL = 29;
    public static final int PORT_NUM = 30;
    public static final int SIZE = 32;

    private IbvAhAttr() {}
  }

  /** {@code struct ibv_async_event}. */
  public static final class IbvAsyncEvent {
    public static final int ELEMENT = 0;
    public static final int EVENT_TYPE = 8;
    public static final int SIZE = 16;

    private IbvAsyncEvent() {}
  }
}
