package org.roce4j.conformance.table;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.OdpCapFlags;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * Access flags: which a region can have (verbs-tables 7), and which operation needs which of the
 * region and of the queue pair (rc-transport 6.1).
 */
public final class AccessRightsTable {
  private static final int LOW_BITS = 10;
  private static final int[] REMOTE = {
    AccessFlags.REMOTE_WRITE, AccessFlags.REMOTE_READ, AccessFlags.REMOTE_ATOMIC
  };
  private static final String LETTERS = "WRA";

  private AccessRightsTable() {}

  /** An operation and the right it needs. */
  private enum Operation {
    WRITE(WrOpcode.RDMA_WRITE, AccessFlags.REMOTE_WRITE),
    READ(WrOpcode.RDMA_READ, AccessFlags.REMOTE_READ),
    SWAP(WrOpcode.ATOMIC_CMP_AND_SWP, AccessFlags.REMOTE_ATOMIC),
    ADD(WrOpcode.ATOMIC_FETCH_AND_ADD, AccessFlags.REMOTE_ATOMIC),
    ATOMIC_WRITE(WrOpcode.ATOMIC_WRITE, AccessFlags.REMOTE_WRITE);

    private final WrOpcode opcode;
    private final int need;

    Operation(WrOpcode opcode, int need) {
      this.opcode = opcode;
      this.need = need;
    }
  }

  /** All rows. */
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    registering(rows);
    for (Operation operation : Operation.values()) {
      for (int region = 0; region < 8; region++) {
        for (int qp = 0; qp < 8; qp++) {
          rows.add(using(operation, region, qp));
        }
      }
    }
    return rows;
  }

  private static void registering(List<Row> rows) {
    rows.add(
        new Row(
            "ACC-REG-ALL_SETS",
            "verbs-tables 7 reg_mr",
            "each of the 1024 sets of the ten basic flags is taken or refused by the rules",
            bench -> {
              ProtectionDomain pd = bench.near().pd();
              var memory = bench.near().memory(64);
              long paging = bench.near().context().queryDeviceEx().odpCaps().general();
              boolean onDemand = (paging & OdpCapFlags.SUPPORT) != 0;
              for (int flags = 0; flags < 1 << LOW_BITS; flags++) {
                registers(pd, memory, flags, errno(flags, onDemand));
              }
            }));
    for (int bit = LOW_BITS; bit < Integer.SIZE; bit++) {
      int flag = 1 << bit;
      boolean optional = (flag & AccessFlags.OPTIONAL_RANGE) != 0;
      rows.add(
          new Row(
              "ACC-REG-BIT_" + bit,
              "verbs-tables 7 reg_mr",
              "access bit " + bit + (optional ? " is optional: ignored" : " is unknown: EINVAL"),
              bench ->
                  registers(
                      bench.near().pd(),
                      bench.near().memory(64),
                      AccessFlags.LOCAL_WRITE | flag,
                      optional ? null : Errno.EINVAL)));
    }
  }

  private static Errno errno(int flags, boolean onDemand) {
    if ((flags & AccessFlags.ON_DEMAND) != 0 && !onDemand) {
      return Errno.EOPNOTSUPP;
    }
    boolean remoteWrite = (flags & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0;
    return remoteWrite && (flags & AccessFlags.LOCAL_WRITE) == 0 ? Errno.EINVAL : null;
  }

  private static void registers(ProtectionDomain pd, MemorySegment memory, int flags, Errno errno) {
    if (errno != null) {
      Expect.refused(errno, () -> pd.registerMemory(memory, flags));
      return;
    }
    try (MemoryRegion region = pd.registerMemory(memory, flags)) {
      Expect.equal("the length", memory.byteSize(), region.length());
    }
  }

  private static Row using(Operation operation, int regionRights, int qpRights) {
    int region = flags(regionRights);
    int qp = flags(qpRights);
    boolean allowed = (region & qp & operation.need) == operation.need;
    return new Row(
        "ACC-" + operation + "-MR_" + letters(regionRights) + "-QP_" + letters(qpRights),
        "rc-transport 6.1, 0 R9",
        operation.opcode
            + " with rights "
            + letters(regionRights)
            + " of the region and "
            + letters(qpRights)
            + " of the queue pair: "
            + (allowed ? "done" : "REM_ACCESS_ERR, nothing is touched"),
        bench -> use(bench, operation, region, qp, allowed));
  }

  private static int flags(int set) {
    int flags = 0;
    for (int i = 0; i < REMOTE.length; i++) {
      flags |= (set & 1 << i) != 0 ? REMOTE[i] : 0;
    }
    return flags;
  }

  private static String letters(int set) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < REMOTE.length; i++) {
      if ((set & 1 << i) != 0) {
        text.append(LETTERS.charAt(i));
      }
    }
    return text.isEmpty() ? "0" : text.toString();
  }

  private static void use(
      Bench bench, Operation operation, int regionRights, int qpRights, boolean allowed) {
    if (operation == Operation.ATOMIC_WRITE) {
      bench.needOfBoth(DeviceCapFlags.ATOMIC_WRITE);
    }
    Bench.Pair pair =
        bench.pair(QpType.RC, Bench.attributes(), Bench.attributes().qpAccessFlags(qpRights));
    MemoryRegion there = bench.far().region(AccessFlags.LOCAL_WRITE | regionRights);
    FirstWord far = new FirstWord(there.memory());
    far.set(5);
    Station near = bench.near();
    FirstWord here = new FirstWord(near.region().memory());
    here.set(9);
    SendRequestList request = near.send(1, operation.opcode).sge(near.region(), 0, 8);
    if (operation.need == AccessFlags.REMOTE_ATOMIC) {
      request.atomic(there.address(), there.rkey(), 5, 7);
    } else {
      request.remote(there.address(), there.rkey());
    }
    Expect.posts(pair.near(), request);
    bench.completes(near, 1, allowed ? WcStatus.SUCCESS : WcStatus.REM_ACCESS_ERR);
    if (!allowed) {
      bench.becomes(pair.far(), QpState.ERR);
      Expect.equal("the word there", 5L, far.get());
      Expect.equal("the word here", 9L, here.get());
      return;
    }
    switch (operation) {
      case WRITE, ATOMIC_WRITE -> Expect.equal("the word there", 9L, far.get());
      case READ -> Expect.equal("the word here", 5L, here.get());
      case SWAP -> {
        Expect.equal("the word there", 7L, far.get());
        Expect.equal("the word here", 5L, here.get());
      }
      case ADD -> {
        Expect.equal("the word there", 10L, far.get());
        Expect.equal("the word here", 5L, here.get());
      }
    }
  }
}
