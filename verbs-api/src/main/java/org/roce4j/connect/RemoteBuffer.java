package org.roce4j.connect;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Memory that the peer exposes, and its key: the result of {@link ExposedBuffer#key}. As a record
 * it can be sent in a message.
 *
 * @param address address of the first byte, as the peer registered it
 * @param rkey the remote key
 * @param length length in bytes
 */
public record RemoteBuffer(long address, int rkey, long length) {
  /**
   * The address at an offset.
   *
   * @throws VerbsException ERANGE if the range exceeds the buffer; the peer would refuse such a
   *     request with REM_ACCESS_ERR, which ends the connection
   */
  long at(long offset, long bytes) {
    if (offset < 0 || bytes < 0 || bytes > length - offset) {
      throw Errno.ERANGE.refusal(
          "offset %d and %d bytes leave the peer's buffer of %d bytes; expose a larger one"
              + " there",
          offset, bytes, length);
    }
    return address + offset;
  }
}
