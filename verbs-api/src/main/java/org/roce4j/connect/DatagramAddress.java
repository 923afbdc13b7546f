package org.roce4j.connect;

import org.roce4j.verbs.Gid;

/**
 * The destination of datagrams. As a record it can be sent in a message.
 *
 * @param gid address of the device
 * @param qpNum number of the queue pair, 24 bits
 */
public record DatagramAddress(Gid gid, int qpNum) {
  @Override
  public String toString() {
    return "%s (QP 0x%x)".formatted(gid.addressText(), qpNum);
  }
}
