package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/** Service id resolution request: which datagram queue pair serves this service? */
public record SidrReq(int requestId, int pkey, long serviceId, Bytes privateData)
    implements CmMessage {
  private static final BitField REQUEST_ID = bytes(24, 4);
  private static final BitField P_KEY = bytes(28, 2);
  private static final BitField SERVICE_ID = bytes(32, 8);

  /**
   * {@code privateData} up to 216 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public SidrReq {
    privateData = CmAttribute.SIDR_REQ.padded(privateData);
  }

  static SidrReq parse(ByteBuffer mad) {
    return new SidrReq(
        REQUEST_ID.get(mad),
        P_KEY.get(mad),
        SERVICE_ID.get64(mad),
        CmAttribute.SIDR_REQ.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    REQUEST_ID.put(mad, requestId);
    P_KEY.put(mad, pkey);
    SERVICE_ID.put(mad, serviceId);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "SIDR_REQ id 0x%08x service %s", requestId, ServiceId.text(serviceId));
  }
}
