/**
 * UC, UD, shared receive queues and multicast between two devices, through the verbs alone. Each
 * has one contract, which holds on the fabric and on both socket ports. Entry point: {@link
 * org.roce4j.service.End}, one side with its objects.
 */
package org.roce4j.service;
