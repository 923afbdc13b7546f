package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/** Ready to use: the active end has received the reply, and the connection is established. */
public record Rtu(int localId, int remoteId, Bytes privateData) implements CmMessage {
  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);

  /**
   * {@code privateData} up to 224 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Rtu {
    privateData = CmAttribute.RTU.padded(privateData);
  }

  static Rtu parse(ByteBuffer mad) {
    return new Rtu(LOCAL_ID.get(mad), REMOTE_ID.get(mad), CmAttribute.RTU.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "RTU id 0x%08x to 0x%08x", localId, remoteId);
  }
}
