/**
 * A posted work request becomes packets: segmentation, the window of unacknowledged PSNs,
 * acknowledgements, retry and RNR. RC, UC and UD stand beside each other. In at {@link
 * org.roce4j.engine.requester.Requester#transmit}, back by {@link
 * org.roce4j.engine.requester.ReliableRequester#handleResponse}.
 */
package org.roce4j.engine.requester;
