/**
 * Turns posted work requests into packets: segmentation, the window of unacknowledged PSNs,
 * acknowledgements, retries and RNR, for RC, UC and UD. Entry point: {@link
 * org.roce4j.engine.requester.Requester#transmit}; responses come in by {@link
 * org.roce4j.engine.requester.ReliableRequester#handleResponse}.
 */
package org.roce4j.engine.requester;
