package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * {@code struct ibv_device_attr}: what a device can do. Numbers are unsigned where libibverbs' are.
 *
 * @param firmwareVersion {@code fw_ver}; may be empty
 * @param nodeGuid of the device, in host order
 * @param sysImageGuid of the system that the device is part of, in host order
 * @param maxMrSize bytes of a memory region; -1: any
 * @param pageSizeCap the page sizes that the device supports, a bit for each
 * @param vendorId IEEE number of the vendor
 * @param vendorPartId of the vendor's choice
 * @param hwVersion of the vendor's choice
 * @param maxQp queue pairs
 * @param maxQpWr requests of a send or receive queue
 * @param deviceCapFlags of {@link DeviceCapFlags}
 * @param maxSge scatter/gather elements of a request
 * @param maxSgeRd scatter elements of an RDMA READ
 * @param maxCq completion queues
 * @param maxCqe entries of a completion queue
 * @param maxMr memory regions
 * @param maxPd protection domains
 * @param maxQpRdAtomic READs and atomics that a queue pair can serve at a time
 * @param maxResRdAtomic READs and atomics that the device can serve at a time
 * @param maxQpInitRdAtomic READs and atomics that a queue pair can have outstanding
 * @param atomicCap the scope of atomicity
 * @param maxMw memory windows
 * @param maxMcastGroups multicast groups
 * @param maxMcastQpAttach queue pairs of a multicast group
 * @param maxTotalMcastQpAttach attachments of all groups
 * @param maxAh address handles
 * @param maxSrq shared receive queues
 * @param maxSrqWr requests of a shared receive queue
 * @param maxSrqSge scatter elements of its requests
 * @param maxPkeys partitions
 * @param localCaAckDelay time to an acknowledgement: 4.096 us * 2^value
 * @param physPortCount ports, numbered from 1
 * @param maxInlineData bytes of inline data of a request; 0: unknown
 * @param numCompVectors completion vectors, numbered from 0
 * @param legacy limits of what RoCE does not have
 */
public record DeviceAttr(
    String firmwareVersion,
    long nodeGuid,
    long sysImageGuid,
    long maxMrSize,
    long pageSizeCap,
    int vendorId,
    int vendorPartId,
    int hwVersion,
    int maxQp,
    int maxQpWr,
    long deviceCapFlags,
    int maxSge,
    int maxSgeRd,
    int maxCq,
    int maxCqe,
    int maxMr,
    int maxPd,
    int maxQpRdAtomic,
    int maxResRdAtomic,
    int maxQpInitRdAtomic,
    AtomicCap atomicCap,
    int maxMw,
    int maxMcastGroups,
    int maxMcastQpAttach,
    int maxTotalMcastQpAttach,
    int maxAh,
    int maxSrq,
    int maxSrqWr,
    int maxSrqSge,
    int maxPkeys,
    int localCaAckDelay,
    int physPortCount,
    int maxInlineData,
    int numCompVectors,
    Legacy legacy) {

  /**
   * Limits of reliable datagrams, raw queue pairs and fast memory regions, which are 0 on RoCE.
   *
   * @param maxEeRdAtomic {@code max_ee_rd_atom}
   * @param maxEeInitRdAtomic {@code max_ee_init_rd_atom}
   * @param maxEe end-to-end contexts
   * @param maxRdd reliable datagram domains
   * @param maxRawIpv6Qp raw IPv6 queue pairs
   * @param maxRawEthyQp raw Ethertype queue pairs
   * @param maxFmr fast memory regions
   * @param maxMapPerFmr maps of a fast memory region before it must be unmapped
   */
  public record Legacy(
      int maxEeRdAtomic,
      int maxEeInitRdAtomic,
      int maxEe,
      int maxRdd,
      int maxRawIpv6Qp,
      int maxRawEthyQp,
      int maxFmr,
      int maxMapPerFmr) {
    /** No such resources. */
    public static final Legacy NONE = new Legacy(0, 0, 0, 0, 0, 0, 0, 0);
  }

  @Override
  public String toString() {
    return Wording.of(
        "at most %d queue pairs of %d requests of %d elements, %d completion queues of %d entries",
        maxQp, maxQpWr, maxSge, maxCq, maxCqe);
  }
}
