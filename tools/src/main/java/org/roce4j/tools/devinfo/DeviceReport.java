package org.roce4j.tools.devinfo;

import java.io.PrintWriter;
import java.util.List;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.OdpCapFlags;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.TransportType;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.GidAddress;

/**
 * Prints a device with the words, numbers and tabulators of {@code ibv_devinfo}, so that scripts
 * written for it understand it. Every number comes from the device.
 */
public final class DeviceReport {
  private static final String FLAG_INDENT = "\t\t\t\t\t";

  /** The names of the bits of {@code enum ibv_raw_packet_caps}. */
  private static final List<String> RAW_PACKET_CAPS =
      List.of("C-VLAN stripping offload", "Scatter FCS offload", "IP csum offload", "Delay drop");

  private final PrintWriter out;
  private final boolean verbose;

  public DeviceReport(PrintWriter out, boolean verbose) {
    this.out = out;
    this.verbose = verbose;
  }

  /**
   * Prints an opened device.
   *
   * @param onlyPort a port's number, or 0: all
   */
  public void print(Context context, int onlyPort) {
    RdmaDevice device = context.device();
    DeviceAttrEx extended = context.queryDeviceEx();
    DeviceAttr attr = extended.device();
    line("hca_id:\t%s", device.name());
    line("\ttransport:\t\t\t%s (%d)", transport(device), device.transportType().value());
    line("\tfw_ver:\t\t\t\t%s", attr.firmwareVersion());
    line("\tnode_guid:\t\t\t%s", guid(attr.nodeGuid()));
    line("\tsys_image_guid:\t\t\t%s", guid(attr.sysImageGuid()));
    line("\tvendor_id:\t\t\t0x%04x", attr.vendorId());
    line("\tvendor_part_id:\t\t\t%d", attr.vendorPartId());
    line("\thw_ver:\t\t\t\t0x%X", attr.hwVersion());
    line("\tphys_port_cnt:\t\t\t%d", attr.physPortCount());
    if (verbose) {
      printLimits(attr);
      printExtended(extended);
      line("\tnum_comp_vectors:\t\t%d", attr.numCompVectors());
    }
    for (int port = 1; port <= attr.physPortCount(); port++) {
      if (onlyPort == 0 || onlyPort == port) {
        printPort(context, port);
      }
    }
    line("");
  }

  private void printLimits(DeviceAttr attr) {
    line("\tmax_mr_size:\t\t\t0x%x", attr.maxMrSize());
    line("\tpage_size_cap:\t\t\t0x%x", attr.pageSizeCap());
    line("\tmax_qp:\t\t\t\t%d", attr.maxQp());
    line("\tmax_qp_wr:\t\t\t%d", attr.maxQpWr());
    line("\tdevice_cap_flags:\t\t0x%08x", (int) attr.deviceCapFlags());
    printFlags(attr.deviceCapFlags() & 0xffff_ffffL);
    line("\tmax_sge:\t\t\t%d", attr.maxSge());
    line("\tmax_sge_rd:\t\t\t%d", attr.maxSgeRd());
    line("\tmax_cq:\t\t\t\t%d", attr.maxCq());
    line("\tmax_cqe:\t\t\t%d", attr.maxCqe());
    line("\tmax_mr:\t\t\t\t%d", attr.maxMr());
    line("\tmax_pd:\t\t\t\t%d", attr.maxPd());
    line("\tmax_qp_rd_atom:\t\t\t%d", attr.maxQpRdAtomic());
    line("\tmax_ee_rd_atom:\t\t\t%d", attr.legacy().maxEeRdAtomic());
    line("\tmax_res_rd_atom:\t\t%d", attr.maxResRdAtomic());
    line("\tmax_qp_init_rd_atom:\t\t%d", attr.maxQpInitRdAtomic());
    line("\tmax_ee_init_rd_atom:\t\t%d", attr.legacy().maxEeInitRdAtomic());
    line("\tatomic_cap:\t\t\t%s (%d)", atomics(attr.atomicCap()), attr.atomicCap().value());
    line("\tmax_ee:\t\t\t\t%d", attr.legacy().maxEe());
    line("\tmax_rdd:\t\t\t%d", attr.legacy().maxRdd());
    line("\tmax_mw:\t\t\t\t%d", attr.maxMw());
    line("\tmax_raw_ipv6_qp:\t\t%d", attr.legacy().maxRawIpv6Qp());
    line("\tmax_raw_ethy_qp:\t\t%d", attr.legacy().maxRawEthyQp());
    line("\tmax_mcast_grp:\t\t\t%d", attr.maxMcastGroups());
    line("\tmax_mcast_qp_attach:\t\t%d", attr.maxMcastQpAttach());
    line("\tmax_total_mcast_qp_attach:\t%d", attr.maxTotalMcastQpAttach());
    line("\tmax_ah:\t\t\t\t%d", attr.maxAh());
    line("\tmax_fmr:\t\t\t%d", attr.legacy().maxFmr());
    if (attr.legacy().maxFmr() != 0) {
      line("\tmax_map_per_fmr:\t\t%d", attr.legacy().maxMapPerFmr());
    }
    line("\tmax_srq:\t\t\t%d", attr.maxSrq());
    line("\tmax_srq_wr:\t\t\t%d", attr.maxSrqWr());
    line("\tmax_srq_sge:\t\t\t%d", attr.maxSrqSge());
    line("\tmax_pkeys:\t\t\t%d", attr.maxPkeys());
    line("\tlocal_ca_ack_delay:\t\t%d", attr.localCaAckDelay());
  }

  private void printFlags(long flags) {
    printNames(flags, DeviceCapFlags.toString(flags));
  }

  /** A line for each name of the flags that are set. */
  private void printNames(long flags, String names) {
    if (flags != 0) {
      for (String name : names.split("\\|")) {
        line("%s%s", FLAG_INDENT, name.startsWith("0x") ? "Unknown flags: " + name : name);
      }
    }
  }

  private void printRawPacketCaps(int flags) {
    if (flags != 0) {
      line("\traw packet caps:");
      for (int i = 0; i < RAW_PACKET_CAPS.size(); i++) {
        if ((flags & 1 << i) != 0) {
          line("%s%s", FLAG_INDENT, RAW_PACKET_CAPS.get(i));
        }
      }
    }
  }

  private void printExtended(DeviceAttrEx attr) {
    printOdp(attr);
    if (attr.completionTimestampMask() != 0) {
      line("\tcompletion timestamp_mask:\t\t\t0x%016x", attr.completionTimestampMask());
    } else {
      line("\tcompletion_timestamp_mask not supported");
    }
    if (attr.hcaCoreClockKhz() != 0) {
      line("\thca_core_clock:\t\t\t%skHZ", Long.toUnsignedString(attr.hcaCoreClockKhz()));
    } else {
      line("\tcore clock not supported");
    }
    printRawPacketCaps(attr.rawPacketCaps());
    line("\tdevice_cap_flags_ex:\t\t0x%X", attr.deviceCapFlagsEx());
    printFlags(attr.deviceCapFlagsEx() & ~0xffff_ffffL);
    printQueueing(attr);
    printPacing(attr.packetPacingCaps());
    printTagMatching(attr.tmCaps());
    printModeration(attr.cqModCaps());
    if (attr.maxDmSize() != 0) {
      line("\tmaximum available device memory:\t%sBytes\n", unsigned(attr.maxDmSize()));
    }
  }

  private static String unsigned(long number) {
    return Long.toUnsignedString(number);
  }

  private void printOdp(DeviceAttrEx attr) {
    DeviceAttrEx.OdpCaps caps = attr.odpCaps();
    line("\tgeneral_odp_caps:");
    printNames(caps.general(), OdpCapFlags.general(caps.general()));
    printOdp("rc", caps.rc());
    printOdp("uc", caps.uc());
    printOdp("ud", caps.ud());
    printOdp("xrc", attr.xrcOdpCaps());
  }

  private void printOdp(String service, int flags) {
    line("\t%s_odp_caps:", service);
    if (flags == 0) {
      line("%sNO SUPPORT", FLAG_INDENT);
    }
    printNames(flags, OdpCapFlags.transport(flags));
  }

  private void printQueueing(DeviceAttrEx attr) {
    line("\ttso_caps:");
    line("\t\tmax_tso:\t\t\t%d", attr.tsoCaps().maxTso());
    if (attr.tsoCaps().maxTso() != 0) {
      printTypes(attr.tsoCaps().supportedQpts());
    }
    DeviceAttrEx.RssCaps rss = attr.rssCaps();
    line("\trss_caps:");
    line("\t\tmax_rwq_indirection_tables:\t\t\t%d", rss.maxRwqIndirectionTables());
    line("\t\tmax_rwq_indirection_table_size:\t\t\t%d", rss.maxRwqIndirectionTableSize());
    line("\t\trx_hash_function:\t\t\t\t0x%x", rss.rxHashFunction());
    line("\t\trx_hash_fields_mask:\t\t\t\t0x%X", rss.rxHashFieldsMask());
    if (rss.supportedQpts() != 0) {
      printTypes(rss.supportedQpts());
    }
    line("\tmax_wq_type_rq:\t\t\t%s", Integer.toUnsignedString(attr.maxWqTypeRq()));
  }

  private void printPacing(DeviceAttrEx.PacketPacingCaps pacing) {
    line("\tpacket_pacing_caps:");
    line("\t\tqp_rate_limit_min:\t%skbps", Integer.toUnsignedString(pacing.qpRateLimitMin()));
    line("\t\tqp_rate_limit_max:\t%skbps", Integer.toUnsignedString(pacing.qpRateLimitMax()));
    if (pacing.qpRateLimitMax() != 0) {
      printTypes(pacing.supportedQpts());
    }
  }

  private void printTagMatching(DeviceAttrEx.TagMatchingCaps tags) {
    if (tags.maxNumTags() == 0) {
      line("\ttag matching not supported");
      return;
    }
    line("\tmax_rndv_hdr_size:\t\t%d", tags.maxRndvHdrSize());
    line("\tmax_num_tags:\t\t\t%d", tags.maxNumTags());
    line("\tmax_ops:\t\t\t%d", tags.maxOps());
    line("\tmax_sge:\t\t\t%d", tags.maxSge());
    line("\tflags:");
    if ((tags.flags() & 1) != 0) {
      line("%sIBV_TM_CAP_RC", FLAG_INDENT);
    }
  }

  private void printModeration(DeviceAttrEx.CqModerationCaps moderation) {
    if (moderation.maxCount() != 0 && moderation.maxPeriodUs() != 0) {
      line("\n\tcq moderation caps:");
      line("\t\tmax_cq_count:\t%d", moderation.maxCount());
      line("\t\tmax_cq_period:\t%d us\n", moderation.maxPeriodUs());
    }
  }

  /** Types of queue pairs, in the order of {@code ibv_devinfo}. */
  private void printTypes(int types) {
    line("\t\tsupported_qp:");
    for (QpType type : List.of(QpType.RAW_PACKET, QpType.UD, QpType.RC)) {
      if ((types & 1 << type.value()) != 0) {
        line("%sSUPPORT_%s", FLAG_INDENT, type);
      }
    }
  }

  private void printPort(Context context, int number) {
    PortAttr port = context.queryPort(number);
    line("\t\tport:\t%d", number);
    line("\t\t\tstate:\t\t\t%s", state(port.state()));
    line("\t\t\tmax_mtu:\t\t%s", mtu(port.maxMtu()));
    line("\t\t\tactive_mtu:\t\t%s", mtu(port.activeMtu()));
    line("\t\t\tsm_lid:\t\t\t%d", port.smLid());
    line("\t\t\tport_lid:\t\t%d", port.lid());
    line("\t\t\tport_lmc:\t\t0x%02x", port.lmc());
    line("\t\t\tlink_layer:\t\t%s", linkLayer(port.linkLayer()));
    if (verbose) {
      line("\t\t\tmax_msg_sz:\t\t0x%x", port.maxMessageSize());
      line("\t\t\tport_cap_flags:\t\t0x%08x", port.portCapFlags());
      line("\t\t\tport_cap_flags2:\t0x%04x", port.portCapFlags2());
      line("\t\t\tmax_vl_num:\t\t%s (%d)", lanes(port.maxVlNum()), port.maxVlNum());
      line("\t\t\tbad_pkey_cntr:\t\t0x%x", port.badPkeyCounter());
      line("\t\t\tqkey_viol_cntr:\t\t0x%x", port.qkeyViolationCounter());
      line("\t\t\tsm_sl:\t\t\t%d", port.smSl());
      line("\t\t\tpkey_tbl_len:\t\t%d", port.pkeyTableLength());
      line("\t\t\tgid_tbl_len:\t\t%d", port.gidTableLength());
      line("\t\t\tsubnet_timeout:\t\t%d", port.subnetTimeout());
      line("\t\t\tinit_type_reply:\t%d", port.initTypeReply());
      line("\t\t\tactive_width:\t\t%s (%d)", width(port.activeWidth()), port.activeWidth());
      line("\t\t\tactive_speed:\t\t%s (%d)", speed(port.activeSpeed()), port.activeSpeed());
      line("\t\t\tphys_state:\t\t%s", physState(port.physState()));
      for (GidEntry entry : context.queryGidTable()) {
        if (entry.portNum() == number) {
          line(
              "\t\t\tGID[%3d]:\t\t%s, %s",
              entry.gidIndex(), address(entry.gid()), gidType(entry.gidType()));
        }
      }
    }
  }

  private void line(String format, Object... values) {
    out.print(Wording.of(format, values) + "\n");
  }

  // ---- words

  private static String transport(RdmaDevice device) {
    TransportType type = device.transportType();
    return switch (type) {
      case IB -> "InfiniBand";
      case IWARP -> "iWARP";
      case USNIC -> "usNIC";
      case USNIC_UDP -> "usNIC UDP";
      case UNSPECIFIED -> "unspecified";
      case UNKNOWN -> "invalid transport";
    };
  }

  private static String address(Gid gid) {
    return gid.isIpv4Mapped() ? gid.toString() : GidAddress.addressText(gid.high(), gid.low());
  }

  private static String guid(long guid) {
    String digits = Wording.of("%016x", guid);
    return digits.replaceAll("(....)(?=.)", "$1:");
  }

  private static String atomics(AtomicCap cap) {
    return cap == AtomicCap.NONE ? "ATOMIC_NONE" : "ATOMIC_" + cap.name();
  }

  /** A driver may report an unknown number. */
  private static String state(PortState state) {
    return state == null ? "invalid state" : Wording.of("PORT_%s (%d)", state, state.value());
  }

  private static String physState(PhysicalPortState state) {
    return state == null
        ? "invalid physical state"
        : Wording.of("%s (%d)", state.name(), state.value());
  }

  private static String mtu(Mtu mtu) {
    return mtu == null ? "invalid MTU" : mtu.bytes() + " (" + mtu.value() + ")";
  }

  private static String linkLayer(LinkLayer layer) {
    return switch (layer) {
      case ETHERNET -> "Ethernet";
      case INFINIBAND, UNSPECIFIED -> "InfiniBand";
    };
  }

  private static String lanes(int code) {
    return switch (code) {
      case 1 -> "1";
      case 2 -> "2";
      case 3 -> "4";
      case 4 -> "8";
      case 5 -> "15";
      default -> "invalid value";
    };
  }

  private static String width(int code) {
    return switch (code) {
      case 1 -> "1X";
      case 2 -> "4X";
      case 4 -> "8X";
      case 8 -> "12X";
      case 16 -> "2X";
      default -> "invalid width";
    };
  }

  private static String speed(int code) {
    return switch (code) {
      case 1 -> "2.5 Gbps";
      case 2 -> "5.0 Gbps";
      case 4, 8 -> "10.0 Gbps";
      case 16 -> "14.0 Gbps";
      case 32 -> "25.0 Gbps";
      case 64 -> "50.0 Gbps";
      case 128 -> "100.0 Gbps";
      default -> "invalid speed";
    };
  }

  private static String gidType(GidType type) {
    return switch (type) {
      case IB -> "IB";
      case ROCE_V1 -> "RoCE v1";
      case ROCE_V2 -> "RoCE v2";
    };
  }
}
