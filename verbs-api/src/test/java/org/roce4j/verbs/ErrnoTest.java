package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrnoTest {
  @ParameterizedTest
  @CsvSource({
    "EPERM,1,Operation not permitted",
    "ENOENT,2,No such file or directory",
    "EINTR,4,Interrupted system call",
    "EIO,5,Input/output error",
    "EAGAIN,11,Resource temporarily unavailable",
    "ENOMEM,12,Cannot allocate memory",
    "EACCES,13,Permission denied",
    "EFAULT,14,Bad address",
    "EBUSY,16,Device or resource busy",
    "EEXIST,17,File exists",
    "ENODEV,19,No such device",
    "EINVAL,22,Invalid argument",
    "ENFILE,23,Too many open files in system",
    "EMFILE,24,Too many open files",
    "ENOSPC,28,No space left on device",
    "ENOSYS,38,Function not implemented",
    "ENODATA,61,No data available",
    "EPROTO,71,Protocol error",
    "EMSGSIZE,90,Message too long",
    "EPROTONOSUPPORT,93,Protocol not supported",
    "EOPNOTSUPP,95,Operation not supported",
    "EADDRINUSE,98,Address already in use",
    "EADDRNOTAVAIL,99,Cannot assign requested address",
    "ENETDOWN,100,Network is down",
    "ENETUNREACH,101,Network is unreachable",
    "ECONNABORTED,103,Software caused connection abort",
    "ECONNRESET,104,Connection reset by peer",
    "EISCONN,106,Transport endpoint is already connected",
    "ENOTCONN,107,Transport endpoint is not connected",
    "ETIMEDOUT,110,Connection timed out",
    "ECONNREFUSED,111,Connection refused",
    "EHOSTUNREACH,113,No route to host"
  })
  void errnoHasLinuxNumberAndText(Errno errno, int number, String text) {
    assertEquals(number, errno.number());
    assertEquals(text, errno.text());
  }

  @ParameterizedTest
  @EnumSource(Errno.class)
  void errnoIsFoundByItsNumber(Errno errno) {
    assertSame(errno, Errno.of(errno.number()));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 41, 58, 134, Integer.MAX_VALUE})
  void otherNumbersHaveNoErrno(int number) {
    assertNull(Errno.of(number));
  }
}
