/**
 * UC, UD, shared receive queues and multicast between two devices, through the verbs alone: one
 * contract for each, held to on the fabric and on both socket ports. Entry point: {@link
 * org.roce4j.service.End}, what one side holds.
 */
package org.roce4j.service;
