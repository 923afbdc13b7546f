package org.roce4j.engine.cm;

import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.mad.Mad;

/** A MAD to send and its path. */
public record Outgoing(Path path, Mad mad) {}
