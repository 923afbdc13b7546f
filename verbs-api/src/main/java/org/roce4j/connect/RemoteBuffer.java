package org.roce4j.connect;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Memory that a peer lets us use, and the key to it: what {@link ExposedBuffer#key} tells. A record
 * that can be sent in a message.
 *
 * @param address of the first byte, in the peer's terms
 * @param rkey the remote key
 * @param length bytes
 */
public record RemoteBuffer(long address, int rkey, long length) {
  /**
   * The address at an offset.
   *
   * @throws VerbsException ERANGE if the range leaves the buffer; the peer would answer
   *     REM_ACCESS_ERR, which ends the connection
   */
  long at(long offset, long bytes) {
    if (offset < 0 || bytes < 0 || bytes > length - offset) {
      throw new VerbsException(
          Errno.ERANGE,
          "offset %d and %d bytes leave the peer's buffer of %d bytes; expose a larger one there"
              .formatted(offset, bytes, length));
    }
    return address + offset;
  }
}
