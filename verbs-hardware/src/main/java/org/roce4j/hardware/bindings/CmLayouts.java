package org.roce4j.hardware.bindings;

/**
 * Where the fields of librdmacm's structures lie, in bytes, on 64-bit Linux: the stable ABI of
 * {@code rdma/rdma_cma.h}. {@code abi/cm-layouts.c} makes the same table with the C compiler.
 */
public final class CmLayouts {
  private CmLayouts() {}

  /** {@code struct rdma_event_channel}. */
  public static final class RdmaEventChannel {
    public static final int FD = 0;
    public static final int SIZE = 4;

    private RdmaEventChannel() {}
  }

  /** {@code struct rdma_cm_id}. An id. */
  public static final class RdmaCmId {
    public static final int VERBS = 0;
    public static final int SRC_ADDR = 32;
    public static final int DST_ADDR = 160;
    public static final int PORT_NUM = 348;
    public static final int SIZE = 416;

    private RdmaCmId() {}
  }

  /** {@code struct rdma_cm_event}: an event of an id. */
  public static final class RdmaCmEvent {
    public static final int ID = 0;
    public static final int LISTEN_ID = 8;
    public static final int EVENT = 16;
    public static final int STATUS = 20;
    public static final int PARAM = 24;
    public static final int SIZE = 80;

    private RdmaCmEvent() {}
  }

  /** {@code struct rdma_conn_param}. */
  public static final class RdmaConnParam {
    public static final int PRIVATE_DATA = 0;
    public static final int PRIVATE_DATA_LEN = 8;
    public static final int RESPONDER_RESOURCES = 9;
    public static final int INITIATOR_DEPTH = 10;
    public static final int FLOW_CONTROL = 11;
    public static final int RETRY_COUNT = 12;
    public static final int RNR_RETRY_COUNT = 13;
    public static final int SRQ = 14;
    public static final int QP_NUM = 16;
    public static final int SIZE = 24;

    private RdmaConnParam() {}
  }

  /** {@code struct rdma_ud_param}. */
  public static final class RdmaUdParam {
    public static final int PRIVATE_DATA = 0;
    public static final int PRIVATE_DATA_LEN = 8;
    public static final int AH_ATTR = 16;
    public static final int QP_NUM = 48;
    public static final int QKEY = 52;
    public static final int SIZE = 56;

    private RdmaUdParam() {}
  }

  /** {@code struct rdma_cm_join_mc_attr_ex}. */
  public static final class RdmaCmJoinMcAttrEx {
    public static final int COMP_MASK = 0;
    public static final int JOIN_FLAGS = 4;
    public static final int ADDR = 8;
    public static final int SIZE = 16;

    private RdmaCmJoinMcAttrEx() {}
  }

  /** {@code struct sockaddr_in}. */
  public static final class SockaddrIn {
    public static final int FAMILY = 0;
    public static final int PORT = 2;
    public static final int ADDR = 4;
    public static final int SIZE = 16;

    private SockaddrIn() {}
  }

  /** {@code struct sockaddr_in6}. */
  public static final class SockaddrIn6 {
    public static final int FAMILY = 0;
    public static final int PORT = 2;
    public static final int ADDR = 8;
    public static final int SCOPE_ID = 24;
    public static final int SIZE = 28;

    private SockaddrIn6() {}
  }
}
