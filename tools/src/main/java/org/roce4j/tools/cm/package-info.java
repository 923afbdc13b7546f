/**
 * The programs of librdmacm: {@code roce4j rping}, {@code rdma-client}, {@code rdma-server} and the
 * like, with the C programs' options and messages, so that each pairs with its namesake. Entry
 * point: {@link org.roce4j.tools.cm.RpingCommand}.
 *
 * <p>{@code CmDevices} opens the device, {@code ConnectionEvents} waits for what happens to
 * connections, {@code ConnectionWait} waits for completions and hears those events, and an end such
 * as {@code RpingEnd} has the buffers and the queue pair of one.
 */
package org.roce4j.tools.cm;
