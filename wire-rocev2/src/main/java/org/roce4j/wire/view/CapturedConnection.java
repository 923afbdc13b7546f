package org.roce4j.wire.view;

import java.util.List;

/**
 * Two queue pairs that exchange packets, and these packets.
 *
 * @param left the sender of the first packet
 * @param service {@code RC}, {@code UC}, {@code UD}, {@code XRC}; empty if no packet shows it
 * @param packets indexes of the view's packets, ascending
 */
record CapturedConnection(
    ConnectionEnd left, ConnectionEnd right, String service, List<Integer> packets) {
  @Override
  public String toString() {
    return (service + " " + left + " - " + right).strip();
  }
}
