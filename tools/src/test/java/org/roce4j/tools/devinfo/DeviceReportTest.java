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

/** A device with the attributes of Linux rxe prints what ibv_devinfo printed of it. */
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
    RdmaDevice device =
        answering(
            RdmaDevice.class, (name, arguments) -> name.equals("name") ? "rxe0" : TransportType.IB);
    return answering(
        Context.class,
        (name, arguments) ->
            switch (name) {
              case "device" -> device;
              case "queryDevice" -> DEVICE;
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
