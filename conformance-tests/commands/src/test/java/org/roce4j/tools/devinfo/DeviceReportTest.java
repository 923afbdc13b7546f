package org.roce4j.tools.devinfo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.TransportType;

/** A device with the attributes of Linux rxe prints the same as ibv_devinfo does for rxe. */
class DeviceReportTest {
  private static final DeviceAttr DEVICE =
      new DeviceAttr(
          "0.0.0",
          0x5054_00ff_fe77_0002L,
          0x5054_00ff_fe77_0002L,
          -1L,
          0xfffff000L,
          0xffffff,
          0,
          0,
          1048560,
          1048576,
          0x01223c76,
          32,
          32,
          1048576,
          32767,
          524287,
          1048576,
          128,
          258048,
          128,
          AtomicCap.HCA,
          524287,
          8192,
          56,
          458752,
          32767,
          917503,
          1048576,
          27,
          64,
          15,
          1,
          0,
          1,
          DeviceAttr.Legacy.NONE);

  /** A device that has every capability. */
  private static final DeviceAttrEx RICH =
      new DeviceAttrEx(
          DEVICE,
          new DeviceAttrEx.OdpCaps(1, 0x1f, 0, 0x103),
          0x7fff_ffff_ffff_ffffL,
          156_250,
          1L << 36 | 1L << 50,
          new DeviceAttrEx.TsoCaps(262_144, 1 << 8),
          new DeviceAttrEx.RssCaps(1 << 8, 1_048_576, 2048, 0x8000_00ffL, 1),
          8_388_608,
          new DeviceAttrEx.PacketPacingCaps(1, -1, 1 << 2 | 1 << 8),
          5,
          new DeviceAttrEx.TagMatchingCaps(64, 127, 1, 16, 1),
          new DeviceAttrEx.CqModerationCaps(65_535, 4_095),
          131_072,
          DeviceAttrEx.PciAtomicCaps.NONE,
          2,
          2);

  private static final List<String> OF_RICH =
      List.of(
          "\tgeneral_odp_caps:\n\t\t\t\t\tODP_SUPPORT\n\trc_odp_caps:\n\t\t\t\t\tSUPPORT_SEND\n",
          "\tuc_odp_caps:\n\t\t\t\t\tNO SUPPORT\n",
          "SUPPORT_RECV\n"
              + "\t\t\t\t\tUnknown flags: 0x100\n"
              + "\txrc_odp_caps:\n"
              + "\t\t\t\t\tSUPPORT_RECV\n",
          "\tcompletion timestamp_mask:\t\t\t0x7fffffffffffffff\n",
          "\thca_core_clock:\t\t\t156250kHZ\n",
          "\traw packet caps:\n\t\t\t\t\tC-VLAN stripping offload\n\t\t\t\t\tIP csum offload\n",
          "0x4001000000000\n"
              + "\t\t\t\t\tPCI_WRITE_END_PADDING\n"
              + "\t\t\t\t\tUnknown flags: 0x4000000000000\n",
          "\t\tmax_tso:\t\t\t262144\n\t\tsupported_qp:\n\t\t\t\t\tSUPPORT_RAW_PACKET\n",
          "\t\trx_hash_fields_mask:\t\t\t\t0x800000FF\n\t\tsupported_qp:\n",
          "\tmax_wq_type_rq:\t\t\t8388608\n",
          "\t\tqp_rate_limit_max:\t4294967295kbps\n\t\tsupported_qp:\n"
              + "\t\t\t\t\tSUPPORT_RAW_PACKET\n\t\t\t\t\tSUPPORT_RC\n",
          "\tmax_num_tags:\t\t\t127\n",
          "\t\t\t\t\tIBV_TM_CAP_RC\n",
          "\n\tcq moderation caps:\n\t\tmax_cq_count:\t65535\n\t\tmax_cq_period:\t4095 us\n\n",
          "\tmaximum available device memory:\t131072Bytes\n\n\tnum_comp_vectors:\t\t1\n");

  private static final PortAttr PORT =
      new PortAttr(
          PortState.ACTIVE,
          Mtu.MTU_4096,
          Mtu.MTU_1024,
          1024,
          0x10000,
          0x800000,
          0,
          0,
          1,
          0,
          0,
          0,
          1,
          0,
          0,
          0,
          1,
          1,
          PhysicalPortState.LINK_UP,
          LinkLayer.ETHERNET,
          0,
          0);

  private static final List<GidEntry> GIDS =
      List.of(
          new GidEntry(Gid.parse("fe80::5054:ff:fe77:2"), 0, 1, GidType.ROCE_V2, 2),
          new GidEntry(Gid.parse("10.77.0.2"), 1, 1, GidType.ROCE_V2, 2),
          new GidEntry(Gid.parse("fd77::2"), 2, 1, GidType.ROCE_V2, 2));

  private static Context rxe() {
    return of(PORT);
  }

  private static Context of(PortAttr port) {
    return of(port, DeviceAttrEx.of(DEVICE));
  }

  private static Context of(PortAttr port, DeviceAttrEx attr) {
    RdmaDevice device =
        answering(
            RdmaDevice.class, (name, arguments) -> name.equals("name") ? "rxe0" : TransportType.IB);
    return answering(
        Context.class,
        (name, arguments) ->
            switch (name) {
              case "device" -> device;
              case "queryDeviceEx" -> attr;
              case "queryPort" -> port;
              case "queryGidTable" -> GIDS;
              default -> throw new AssertionError(name);
            });
  }

  private interface Answers {
    Object to(String method, Object[] arguments);
  }

  private static <T> T answering(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.to(method.getName(), arguments)));
  }

  private static String report(boolean verbose, int port) {
    StringWriter out = new StringWriter();
    new DeviceReport(new PrintWriter(out), verbose).print(rxe(), port);
    return out.toString();
  }

  @Test
  void whatADriverReportsWithoutAMeaningIsSaidToBeInvalid() {
    PortAttr odd =
        new PortAttr(
            null,
            null,
            null,
            1,
            0,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            1,
            1,
            null,
            LinkLayer.ETHERNET,
            1,
            0x24);
    StringWriter out = new StringWriter();
    new DeviceReport(new PrintWriter(out), true).print(of(odd), 1);
    String text = out.toString();
    assertTrue(text.contains("invalid state"), text);
    assertTrue(text.contains("max_mtu:\t\tinvalid MTU"), text);
    assertTrue(text.contains("invalid physical state"), text);
    assertTrue(text.contains("port_cap_flags2:\t0x0024"), text);
  }

  @Test
  void whatADeviceHasBeyondTheRestIsAskedForAndPrinted() {
    StringWriter out = new StringWriter();
    new DeviceReport(new PrintWriter(out), true).print(of(PORT, RICH), 1);
    String text = out.toString();
    for (String expected : OF_RICH) {
      assertTrue(text.contains(expected), expected + " is missing in " + text);
    }
  }

  private static String evidence() throws IOException {
    try (InputStream in = DeviceReportTest.class.getResourceAsStream("/ibv_devinfo-v.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void theVerboseReportIsIbvDevinfos() throws IOException {
    assertEquals(evidence(), report(true, 0));
  }

  @Test
  void theShortReportLeavesOutWhatIbvDevinfoLeavesOut() {
    assertEquals(
        """
        hca_id:	rxe0
        	transport:			InfiniBand (0)
        	fw_ver:				0.0.0
        	node_guid:			5054:00ff:fe77:0002
        	sys_image_guid:			5054:00ff:fe77:0002
        	vendor_id:			0xffffff
        	vendor_part_id:			0
        	hw_ver:				0x0
        	phys_port_cnt:			1
        		port:	1
        			state:			PORT_ACTIVE (4)
        			max_mtu:		4096 (5)
        			active_mtu:		1024 (3)
        			sm_lid:			0
        			port_lid:		0
        			port_lmc:		0x00
        			link_layer:		Ethernet

        """,
        report(false, 1));
  }
}
