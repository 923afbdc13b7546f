package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;

/** What an event says, as a number and in words. */
class CmEventTest {
  private static CmEvent event(CmEventType type, int status, ConnParam conn, UdParam ud) {
    ProviderReport report = new ProviderReport(type, null, null, status, conn, ud, null);
    CmEventDebt.Entry debt = new CmEventDebt().delivered();
    return CmEvent.of(type, new ReportedEvent(report, null, null, status, debt));
  }

  /** A negative status is an errno; what a positive one is depends on the event. */
  @ParameterizedTest
  @CsvSource({
    "ADDR_RESOLVED, 0, ADDR_RESOLVED of null",
    "ADDR_ERROR, -113, ADDR_ERROR EHOSTUNREACH of null",
    "ADDR_ERROR, -9999, ADDR_ERROR -9999 of null",
    "UNREACHABLE, -110, UNREACHABLE ETIMEDOUT of null",
    "UNREACHABLE, 1, UNREACHABLE UNSUPPORTED of null",
    "UNREACHABLE, 99, UNREACHABLE 99 of null",
    "REJECTED, 8, REJECTED INVALID_SERVICE_ID of null",
    "REJECTED, 9999, REJECTED 9999 of null",
    "REJECTED, -110, REJECTED ETIMEDOUT of null",
  })
  void aStatusIsPrintedInWords(CmEventType type, int status, String words) {
    CmEvent event = event(type, status, null, null);
    assertEquals(status, event.status());
    assertEquals(words, event.toString());
    Optional<Errno> expected =
        status < 0 ? Optional.ofNullable(Errno.of(-status)) : Optional.empty();
    assertEquals(expected, event.errno());
  }

  @ParameterizedTest
  @EnumSource
  void anEventIsOfTheTypeThatWasReported(CmEventType type) {
    assertEquals(type, event(type, 0, null, null).type());
  }

  @ParameterizedTest
  @CsvSource({"-110, ", "0, ", "1, UNSUPPORTED", "99, "})
  void onlyAPositiveStatusIsThatOfTheDatagramService(int status, SidrStatus expected) {
    CmEvent.Unreachable event =
        (CmEvent.Unreachable) event(CmEventType.UNREACHABLE, status, null, null);
    assertEquals(Optional.ofNullable(expected), event.sidrStatus());
  }

  @Test
  void privateDataIsThatOfTheConnectionOrOfTheDatagramService() {
    CmEventType type = CmEventType.ESTABLISHED;
    ConnParam conn = new ConnParam().privateData(new byte[] {1});
    UdParam ud = new UdParam(new byte[] {2}, null, 0, 0);
    assertArrayEquals(new byte[] {1}, event(type, 0, conn, null).privateData());
    assertArrayEquals(new byte[] {2}, event(type, 0, null, ud).privateData());
    assertArrayEquals(new byte[0], event(type, 0, null, null).privateData());
    assertNull(event(type, 0, null, null).joinContext());
  }

  /**
   * As those of a program of librdmacm that fills in the structure with what the manual advises.
   */
  @Test
  void anOfferRetriesSevenTimesUnlessItSaysOtherwise() {
    ConnParam offer = new ConnParam();
    assertEquals(7, offer.retryCount());
    assertEquals(7, offer.rnrRetryCount());
    assertFalse(offer.flowControl());
    assertFalse(offer.srq());
    ConnParam copy =
        new ConnParam().retryCount(1).rnrRetryCount(2).flowControl(true).srq(true).qpNum(3).copy();
    assertEquals(1, copy.retryCount());
    assertEquals(2, copy.rnrRetryCount());
    assertTrue(copy.flowControl());
    assertTrue(copy.srq());
    assertEquals(3, copy.qpNum());
  }
}
