package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/** Reply to a request for communication release. */
public record Drep(int localId, int remoteId, Bytes privateData) implements CmMessage {
  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);

  /**
   * {@code privateData} up to 224 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Drep {
    privateData = CmAttribute.DREP.padded(privateData);
  }

  static Drep parse(ByteBuffer mad) {
    return new Drep(LOCAL_ID.get(mad), REMOTE_ID.get(mad), CmAttribute.DREP.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "DREP id 0x%08x to 0x%08x", localId, remoteId);
  }
}
