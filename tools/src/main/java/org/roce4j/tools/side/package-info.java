/**
 * What {@code pingpong} and {@code perf} share: the options that say which device is used and where
 * the peer is, and the verbs objects of one side. Entry point: {@link org.roce4j.tools.side.Side}.
 */
package org.roce4j.tools.side;
