package org.roce4j.tools.perf;

import java.nio.file.Path;

/**
 * How a run is held against its twin.
 *
 * @param pairs interleaved runs of each
 * @param twinPort first of the UDP ports of the twins, one each; 0: not chosen yet
 * @param page file that both sides map, or null: not made yet
 */
record LimitOptions(int pairs, int twinPort, Path page) {}
