/**
 * The common part of {@code pingpong} and {@code perf}: the options for device and peer, and the
 * verbs objects of one side. Entry point: {@link org.roce4j.tools.side.Side}.
 */
package org.roce4j.tools.side;
