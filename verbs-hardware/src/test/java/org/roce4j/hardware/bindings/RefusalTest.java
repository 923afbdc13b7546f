package org.roce4j.hardware.bindings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class RefusalTest {
  @ParameterizedTest
  @CsvSource({
    "ibv_open_device, EACCES, in the group that owns",
    "ibv_open_device, EPERM, docker run --device=/dev/infiniband",
    "ibv_open_device, ENOENT, load ib_uverbs",
    "ibv_open_device, ENODEV, ibverbs-providers",
    "ibv_reg_mr, ENOMEM, ulimit -l",
    "ibv_reg_mr, EINVAL, within a page",
    "ibv_create_qp, EINVAL, limits",
    "ibv_create_qp, ENOMEM, queue pairs",
    "ibv_create_cq, ENOMEM, limit",
    "ibv_create_ah, EINVAL, GID index",
    "ibv_create_ah, ETIMEDOUT, neighbour discovery",
    "ibv_dealloc_pd, EBUSY, close that first",
    "ibv_alloc_mw, EOPNOTSUPP, does not support",
    "ibv_resize_cq, ENOSYS, driver",
    "ibv_query_port, EIO, list the devices again",
    "ibv_create_comp_channel, EMFILE, ulimit -n",
  })
  void anErrnoCarriesItsRemedy(String function, Errno errno, String remedy) {
    VerbsException refusal = Refusal.of(function, errno.number());
    assertEquals(errno, refusal.errno());
    assertTrue(refusal.remedy().startsWith(function + ": "), refusal.remedy());
    assertTrue(refusal.remedy().contains(remedy), refusal.remedy());
  }

  @ParameterizedTest
  @EnumSource(Errno.class)
  void everyErrnoHasAText(Errno errno) {
    VerbsException refusal = Refusal.of("ibv_modify_qp", errno.number());
    assertEquals(errno, refusal.errno());
    assertFalse(refusal.remedy().substring("ibv_modify_qp: ".length()).isBlank());
  }

  @Test
  void aNumberThatLinuxDoesNotHaveCountsAsAnInputOutputErrorAndIsNamed() {
    VerbsException refusal = Refusal.of("ibv_query_port", 4711);
    assertEquals(Errno.EIO, refusal.errno());
    assertTrue(refusal.remedy().contains("errno 4711"), refusal.remedy());
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0", "22, 0, 22", "-1, 12, 12", "-22, 0, 22"})
  void aResultIsAnErrnoOrPointsToIt(int result, int errno, int expected) {
    try (Frame frame = new Frame()) {
      frame.state().set(java.lang.foreign.ValueLayout.JAVA_INT, 0, errno);
      assertEquals(expected, Libibverbs.errno(result, frame));
    }
  }
}
