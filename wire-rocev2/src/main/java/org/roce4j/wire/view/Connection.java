package org.roce4j.wire.view;

import java.util.List;

/**
 * Two queue pairs that talk, and their packets.
 *
 * @param left the end that was heard first
 * @param service {@code RC}, {@code UC}, {@code UD}, {@code XRC}; empty when no packet tells
 * @param packets indexes of the view's packets, ascending
 */
record Connection(ConnectionEnd left, ConnectionEnd right, String service, List<Integer> packets) {
  @Override
  public String toString() {
    return (service + " " + left + " - " + right).strip();
  }
}
