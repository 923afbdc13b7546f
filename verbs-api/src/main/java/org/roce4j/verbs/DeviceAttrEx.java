package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_device_attr_ex}: what a device can do beyond {@link DeviceAttr}. A capability
 * that a device lacks is 0.
 *
 * @param device the plain attributes ({@code orig_attr})
 * @param odpCaps on-demand paging
 * @param completionTimestampMask the significant bits of a completion timestamp; 0: no timestamps
 * @param hcaCoreClockKhz frequency of the timestamp clock in kHz; 0: no clock
 * @param deviceCapFlagsEx of {@link DeviceCapFlags}, all 64 bits
 * @param tsoCaps segmentation offload
 * @param rssCaps receive side scaling
 * @param maxWqTypeRq receive work queues
 * @param packetPacingCaps rates of queue pairs
 * @param rawPacketCaps of raw packet queue pairs, bits of {@code enum ibv_raw_packet_caps}
 * @param tmCaps tag matching
 * @param cqModCaps moderation of completion events
 * @param maxDmSize bytes of device memory
 * @param pciAtomicCaps atomic operations of the PCI bus
 * @param xrcOdpCaps operations of extended reliable connections on memory that is paged on demand,
 *     of {@link OdpCapFlags}
 * @param physPortCountEx ports, where {@link DeviceAttr#physPortCount} has too few bits; 0: there
 */
public record DeviceAttrEx(
    DeviceAttr device,
    OdpCaps odpCaps,
    long completionTimestampMask,
    long hcaCoreClockKhz,
    long deviceCapFlagsEx,
    TsoCaps tsoCaps,
    RssCaps rssCaps,
    int maxWqTypeRq,
    PacketPacingCaps packetPacingCaps,
    int rawPacketCaps,
    TagMatchingCaps tmCaps,
    CqModerationCaps cqModCaps,
    long maxDmSize,
    PciAtomicCaps pciAtomicCaps,
    int xrcOdpCaps,
    int physPortCountEx) {

  /**
   * {@code struct ibv_odp_caps}: each word of {@link OdpCapFlags}.
   *
   * @param general whether on-demand paging is supported, and for the whole address space
   * @param rc operations of reliable connections on such memory
   * @param uc operations of unreliable connections
   * @param ud operations of datagrams
   */
  public record OdpCaps(long general, int rc, int uc, int ud) {
    /** No on-demand paging. */
    public static final OdpCaps NONE = new OdpCaps(0, 0, 0, 0);
  }

  /**
   * {@code struct ibv_tso_caps}.
   *
   * @param maxTso bytes of a message that the device cuts into segments; 0: it cuts none
   * @param supportedQpts a bit for each {@link QpType#value}
   */
  public record TsoCaps(int maxTso, int supportedQpts) {
    /** No segmentation. */
    public static final TsoCaps NONE = new TsoCaps(0, 0);
  }

  /**
   * {@code struct ibv_rss_caps}.
   *
   * @param supportedQpts a bit for each {@link QpType#value}
   * @param maxRwqIndirectionTables tables
   * @param maxRwqIndirectionTableSize entries of a table
   * @param rxHashFieldsMask fields that can be hashed
   * @param rxHashFunction functions that can hash
   */
  public record RssCaps(
      int supportedQpts,
      int maxRwqIndirectionTables,
      int maxRwqIndirectionTableSize,
      long rxHashFieldsMask,
      int rxHashFunction) {
    /** No receive side scaling. */
    public static final RssCaps NONE = new RssCaps(0, 0, 0, 0, 0);
  }

  /**
   * {@code struct ibv_packet_pacing_caps}.
   *
   * @param qpRateLimitMin kbit/s
   * @param qpRateLimitMax kbit/s, unsigned; 0: no rate can be set
   * @param supportedQpts a bit for each {@link QpType#value}
   */
  public record PacketPacingCaps(int qpRateLimitMin, int qpRateLimitMax, int supportedQpts) {
    /** No rates. */
    public static final PacketPacingCaps NONE = new PacketPacingCaps(0, 0, 0);
  }

  /**
   * {@code struct ibv_tm_caps}.
   *
   * @param maxRndvHdrSize bytes of the header of a rendezvous
   * @param maxNumTags tagged buffers of a queue; 0: no tag matching
   * @param flags of {@code enum ibv_tm_cap_flags}
   * @param maxOps outstanding operations on the list of tags
   * @param maxSge elements of a tagged buffer
   */
  public record TagMatchingCaps(
      int maxRndvHdrSize, int maxNumTags, int flags, int maxOps, int maxSge) {
    /** No tag matching. */
    public static final TagMatchingCaps NONE = new TagMatchingCaps(0, 0, 0, 0, 0);
  }

  /**
   * {@code struct ibv_cq_moderation_caps}: the most that {@link CqModeration} takes.
   *
   * @param maxCount completions
   * @param maxPeriodUs microseconds
   */
  public record CqModerationCaps(int maxCount, int maxPeriodUs) {
    /** No moderation. */
    public static final CqModerationCaps NONE = new CqModerationCaps(0, 0);
  }

  /**
   * {@code struct ibv_pci_atomic_caps}: bits 0, 1, 2 for operands of 4, 8, 16 bytes.
   *
   * @param fetchAdd sizes of fetch and add
   * @param swap sizes of swap
   * @param compareSwap sizes of compare and swap
   */
  public record PciAtomicCaps(int fetchAdd, int swap, int compareSwap) {
    /** No atomics toward the bus. */
    public static final PciAtomicCaps NONE = new PciAtomicCaps(0, 0, 0);
  }

  /** The extended attributes of a device that has none: every capability is 0. */
  public static DeviceAttrEx of(DeviceAttr device) {
    return new DeviceAttrEx(
        device,
        OdpCaps.NONE,
        0,
        0,
        device.deviceCapFlags(),
        TsoCaps.NONE,
        RssCaps.NONE,
        0,
        PacketPacingCaps.NONE,
        0,
        TagMatchingCaps.NONE,
        CqModerationCaps.NONE,
        0,
        PciAtomicCaps.NONE,
        0,
        0);
  }

  @Override
  public String toString() {
    return Wording.of(
        "%s; clock of %d kHz, %d bytes of device memory, on-demand paging %s",
        device, hcaCoreClockKhz, maxDmSize, OdpCapFlags.general(odpCaps.general));
  }
}
