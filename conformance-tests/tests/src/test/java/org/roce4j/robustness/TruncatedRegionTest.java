package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * A registered file is truncated: the request that uses the region fails, and the devices go on
 * working.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TruncatedRegionTest {
  private static final int LENGTH = 8192;
  private static final int TIMEOUT = 14;

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "linux, RDMA_WRITE, 4096, REM_ACCESS_ERR",
    "linux, RDMA_READ, 4096, REM_ACCESS_ERR",
    "linux, ATOMIC_FETCH_AND_ADD, 8, REM_ACCESS_ERR",
    "linux, ATOMIC_CMP_AND_SWP, 8, REM_ACCESS_ERR",
    "linux, SEND, 4096, LOC_PROT_ERR",
    "fabric, RDMA_WRITE, 4096, REM_ACCESS_ERR",
    "fabric, RDMA_READ, 4096, REM_ACCESS_ERR",
    "fabric, ATOMIC_FETCH_AND_ADD, 8, REM_ACCESS_ERR",
    "fabric, ATOMIC_CMP_AND_SWP, 8, REM_ACCESS_ERR",
    "fabric, SEND, 4096, LOC_PROT_ERR",
  })
  void itsUseIsAProtectionError(String transport, WrOpcode opcode, int bytes, WcStatus status)
      throws IOException {
    try (AnyNetwork network = new AnyNetwork(transport);
        Arena arena = Arena.ofShared();
        FileChannel file = file();
        RcSide here = new RcSide(network.device(), LENGTH);
        RcSide peer = new RcSide(network.device(), LENGTH)) {
      RcSide.connect(here, peer, TIMEOUT, 7);
      RcSide owner = opcode == WrOpcode.SEND ? here : peer;
      MemoryRegion region =
          owner.pd.registerMemory(
              file.map(MapMode.READ_WRITE, 0, LENGTH, arena), RcSide.ALL_RIGHTS);
      peer.receive(9, 0, LENGTH);
      file.truncate(0);

      post(here, opcode, region, bytes);
      assertEquals(List.of(status), statuses(here, 1));
      assertEquals(QpState.ERR, here.qp.state());

      region.close();
      restart(here, peer);
      peer.receive(10, 0, LENGTH);
      here.send(2, 0, 100);
      assertEquals(List.of(WcStatus.SUCCESS), statuses(here, 1));
    }
  }

  private FileChannel file() throws IOException {
    return FileChannel.open(
        directory.resolve("memory"),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  private static void post(RcSide side, WrOpcode opcode, MemoryRegion region, int bytes) {
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().wrId(1).opcode(opcode).flags(SendFlags.SIGNALED);
      switch (opcode) {
        case SEND -> list.sge(region, 0, bytes);
        case RDMA_WRITE, RDMA_READ ->
            list.sge(side.mr, 0, bytes).remote(region.iova(), region.rkey());
        default -> list.sge(side.mr, 0, bytes).atomic(region.iova(), region.rkey(), 0, 1);
      }
      assertEquals(0, side.qp.postSend(list));
    }
  }

  private static List<WcStatus> statuses(RcSide side, int count) {
    return side.await(count).stream().map(RcSide.Completion::status).toList();
  }

  /** Resets and reconnects both queue pairs. */
  private static void restart(RcSide a, RcSide b) {
    for (RcSide side : List.of(a, b)) {
      side.qp.modify(new QpAttr().qpState(QpState.RESET));
      while (!side.poll().isEmpty()) {
        Thread.onSpinWait();
      }
    }
    RcSide.connect(a, b, TIMEOUT, 7);
  }
}
