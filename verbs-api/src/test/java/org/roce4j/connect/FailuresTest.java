package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Explanation;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.layout.WcLayout;

/** Each status of a request is an errno and a piece of advice that names the peer. */
class FailuresTest {
  private static final CompletionQueue CQ =
      (CompletionQueue)
          Proxy.newProxyInstance(
              FailuresTest.class.getClassLoader(),
              new Class<?>[] {CompletionQueue.class},
              InvocationHandler::invokeDefault);

  private final Failures failures = new Failures(16);

  private FailedRequestException failed(int status) {
    try (WorkCompletions found = new WorkCompletions(1)) {
      found.memory().fill((byte) 0);
      WcLayout.status(found.memory(), 0, status);
      return (FailedRequestException) failures.failure(CQ, found, "SEND of 5 bytes");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RETRY_EXC_ERR     | ETIMEDOUT | 10.0.0.2 does not answer; has its program ended",
        "RNR_RETRY_EXC_ERR | ENOBUFS   | 10.0.0.2 has no receive posted; its program must receive",
        "REM_ACCESS_ERR    | EACCES    | 10.0.0.2 refused access to that memory; was its buffer",
        "LOC_LEN_ERR       | EMSGSIZE  | 10.0.0.2 sent a message of more than the 16 bytes",
        "REM_INV_REQ_ERR   | EREMOTEIO | 10.0.0.2 cannot receive it: its receives are shorter",
        "REM_OP_ERR        | EREMOTEIO | 10.0.0.2 could not complete the operation; its own",
        "LOC_PROT_ERR      | EFAULT    | memory of this end was freed or has other rights; open",
        "LOC_QP_OP_ERR     | EIO       | open another end",
        "GENERAL_ERR       | EIO       | open another end"
      })
  void statusErrnoAndAdvice(WcStatus status, Errno errno, String advice) {
    failures.peer("10.0.0.2");
    FailedRequestException failure = failed(status.value());
    assertEquals(errno, failure.errno());
    assertEquals(status, failure.status());
    String words = "SEND of 5 bytes failed with " + status + ": " + advice;
    assertTrue(failure.remedy().startsWith(words), failure.remedy());
    String device = " (" + Explanation.of(status).meaning() + ")";
    assertTrue(failure.remedy().endsWith(device), failure.remedy());
  }

  @Test
  void statusWithoutName() {
    FailedRequestException failure = failed(99);
    assertEquals(Errno.EIO, failure.errno());
    assertTrue(failure.remedy().contains(": open another end ("), failure.remedy());
  }

  /** No request failed before: something else moved the queue pair to ERR. */
  @Test
  void flushedRequestThatIsTheFirstFailure() {
    FailedRequestException failure = failed(WcStatus.WR_FLUSH_ERR.value());
    assertEquals(Errno.ENOTCONN, failure.errno());
    String words = "because the peer sent an invalid request or the program changed the state";
    assertTrue(failure.remedy().contains(words), failure.remedy());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SUCCESS", "WR_FLUSH_ERR"})
  void flushedRequestsTellOfTheFailureBefore(WcStatus status) {
    FailedRequestException first = failed(status.value());
    FailedRequestException later = failed(WcStatus.WR_FLUSH_ERR.value());
    assertEquals(first.errno(), later.errno());
    assertEquals(WcStatus.WR_FLUSH_ERR, later.status());
    assertEquals("the connection is broken since: " + first.remedy(), later.remedy());
    FailedRequestException other = failed(status.value());
    assertEquals(status, other.status());
    assertTrue(other.remedy().startsWith("SEND of 5 bytes failed with " + status), other.remedy());
  }

  /** The completions of the two halves are polled in any order. */
  @Test
  void flushedRequestThatIsPolledBeforeTheFailure() {
    failed(WcStatus.WR_FLUSH_ERR.value());
    FailedRequestException failure = failed(WcStatus.RETRY_EXC_ERR.value());
    FailedRequestException later = failed(WcStatus.WR_FLUSH_ERR.value());
    assertEquals("the connection is broken since: " + failure.remedy(), later.remedy());
  }

  @Test
  void closedEndHasNoFailures() {
    failures.checkOpen();
    failures.closed();
    assertEquals(Errno.ENOTCONN, refused(Errno.ENOTCONN, failures::checkOpen).errno());
    try (WorkCompletions found = new WorkCompletions(1)) {
      WcLayout.status(found.memory(), 0, WcStatus.RETRY_EXC_ERR.value());
      assertEquals(Failures.alreadyClosed().remedy(), failures.failure(CQ, found, "SEND").remedy());
    }
  }
}
