package org.roce4j.wire;

/** Partition keys: bit 15 full membership, bits 14..0 the partition. */
public final class PKey {
  /** Full member of the default partition: the only entry of a RoCE device's table. */
  public static final int DEFAULT = 0xFFFF;

  static final int FULL_MEMBER = 0x8000;

  private static final int PARTITION_MASK = 0x7FFF;

  private PKey() {}

  /**
   * Whether two ends may talk: the same partition, not the invalid one (0), and not two limited
   * members.
   */
  public static boolean match(int a, int b) {
    return samePartition(a, b) && ((a | b) & FULL_MEMBER) != 0;
  }

  /** Whether it names a full member, not a limited one. */
  public static boolean isFullMember(int pkey) {
    return (pkey & FULL_MEMBER) != 0;
  }

  /** Whether both name the same partition, not the invalid one (0). */
  public static boolean samePartition(int a, int b) {
    int partition = a & PARTITION_MASK;
    return partition != 0 && partition == (b & PARTITION_MASK);
  }
}
