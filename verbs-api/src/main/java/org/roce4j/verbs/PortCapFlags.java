package org.roce4j.verbs;

/** What a port can do ({@code enum ibv_port_cap_flags}, constants {@code IBV_PORT_*_SUP}). */
public final class PortCapFlags {
  /** A subnet manager runs. */
  public static final int SM = 1 << 1;

  /** Keeps a queue of notices for the subnet manager. */
  public static final int NOTICE = 1 << 2;

  /** Sends traps to the subnet manager. */
  public static final int TRAP = 1 << 3;

  /** Optional inter-packet delays. */
  public static final int OPT_IPD = 1 << 4;

  /** Automatic path migration. */
  public static final int AUTO_MIGR = 1 << 5;

  /** Service level mapping. */
  public static final int SL_MAP = 1 << 6;

  /** The management key is kept in non-volatile memory. */
  public static final int MKEY_NVRAM = 1 << 7;

  /** The partition keys are kept in non-volatile memory. */
  public static final int PKEY_NVRAM = 1 << 8;

  /** Has a LED that management can light. */
  public static final int LED_INFO = 1 << 9;

  /** Reports the system image GUID. */
  public static final int SYS_IMAGE_GUID = 1 << 11;

  /** Traps for partition key violations at switch external ports. */
  public static final int PKEY_SW_EXT_PORT_TRAP = 1 << 12;

  /** Has rates beyond QDR: 14 Gb/s a lane and more. */
  public static final int EXTENDED_SPEEDS = 1 << 14;

  /** A second capability mask exists. */
  public static final int CAP_MASK2 = 1 << 15;

  /** Communication management. */
  public static final int CM = 1 << 16;

  /** Carries SNMP in management datagrams. */
  public static final int SNMP_TUNNEL = 1 << 17;

  /** Tells the subnet manager that it was reset and must be configured anew. */
  public static final int REINIT = 1 << 18;

  /** Device management. */
  public static final int DEVICE_MGMT = 1 << 19;

  /** Vendor class management. */
  public static final int VENDOR_CLASS = 1 << 20;

  /** Directed route notices. */
  public static final int DR_NOTICE = 1 << 21;

  /** Notices of capability changes. */
  public static final int CAP_MASK_NOTICE = 1 << 22;

  /** Boot management. */
  public static final int BOOT_MGMT = 1 << 23;

  /** Link round-trip latency. */
  public static final int LINK_LATENCY = 1 << 24;

  /** Client reregistration. */
  public static final int CLIENT_REG = 1 << 25;

  /** GIDs are made from IP addresses. */
  public static final int IP_BASED_GIDS = 1 << 26;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(SM, "SM")
          .name(NOTICE, "NOTICE")
          .name(TRAP, "TRAP")
          .name(OPT_IPD, "OPT_IPD")
          .name(AUTO_MIGR, "AUTO_MIGR")
          .name(SL_MAP, "SL_MAP")
          .name(MKEY_NVRAM, "MKEY_NVRAM")
          .name(PKEY_NVRAM, "PKEY_NVRAM")
          .name(LED_INFO, "LED_INFO")
          .name(SYS_IMAGE_GUID, "SYS_IMAGE_GUID")
          .name(PKEY_SW_EXT_PORT_TRAP, "PKEY_SW_EXT_PORT_TRAP")
          .name(EXTENDED_SPEEDS, "EXTENDED_SPEEDS")
          .name(CAP_MASK2, "CAP_MASK2")
          .name(CM, "CM")
          .name(SNMP_TUNNEL, "SNMP_TUNNEL")
          .name(REINIT, "REINIT")
          .name(DEVICE_MGMT, "DEVICE_MGMT")
          .name(VENDOR_CLASS, "VENDOR_CLASS")
          .name(DR_NOTICE, "DR_NOTICE")
          .name(CAP_MASK_NOTICE, "CAP_MASK_NOTICE")
          .name(BOOT_MGMT, "BOOT_MGMT")
          .name(LINK_LATENCY, "LINK_LATENCY")
          .name(CLIENT_REG, "CLIENT_REG")
          .name(IP_BASED_GIDS, "IP_BASED_GIDS");

  private PortCapFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
