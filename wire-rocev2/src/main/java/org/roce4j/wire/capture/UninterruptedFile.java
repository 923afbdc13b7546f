package org.roce4j.wire.capture;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A new file that stays open when a thread that writes to it is interrupted: threads of the program
 * write a device's capture, and the channels of {@code java.nio} close. Not thread-safe.
 */
final class UninterruptedFile implements WritableByteChannel {
  private static final int PART = 1 << 13;

  private final OutputStream file;
  private final byte[] part = new byte[PART];
  private boolean open = true;

  UninterruptedFile(Path path) throws IOException {
    file = Files.newOutputStream(path);
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    int length = Math.min(bytes.remaining(), PART);
    bytes.get(bytes.position(), part, 0, length);
    file.write(part, 0, length);
    bytes.position(bytes.position() + length);
    return length;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() throws IOException {
    open = false;
    file.close();
  }
}
