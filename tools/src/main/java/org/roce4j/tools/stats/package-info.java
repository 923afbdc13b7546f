/** {@code roce4j stats}: counters of the devices of another process. */
package org.roce4j.tools.stats;
