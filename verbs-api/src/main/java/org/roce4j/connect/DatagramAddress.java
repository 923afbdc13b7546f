package org.roce4j.connect;

import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/**
 * The destination of datagrams. As a record it can be sent in a message.
 *
 * @param gid address of the device
 * @param qpNum number of the queue pair, 24 bits
 */
public record DatagramAddress(Gid gid, int qpNum) {
  @Override
  public String toString() {
    return Wording.of("%s (QP 0x%x)", gid.addressText(), qpNum);
  }
}
