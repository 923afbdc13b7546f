/**
 * The connection manager, after librdmacm: ids that resolve addresses and routes, listen, connect,
 * accept, reject and disconnect; channels on which their events arrive; queue pairs that the
 * library brings to RTS; datagram services and multicast groups. Names, numbers and errors are
 * those of {@code rdma_cma.h}.
 *
 * <p>The library's part of librdmacm is written once, here, over the verbs: {@link
 * org.roce4j.verbs.cm.CmId} and {@link org.roce4j.verbs.cm.EventChannel}. A backend implements the
 * kernel's part: {@link org.roce4j.verbs.cm.CmProvider}, {@link
 * org.roce4j.verbs.cm.ProviderChannel}, {@link org.roce4j.verbs.cm.ProviderId}.
 *
 * <p>A bad call changes nothing and throws {@link org.roce4j.verbs.VerbsException}, as in {@link
 * org.roce4j.verbs}; what the peer or the network does is an event.
 *
 * <p>Entry point: {@link org.roce4j.verbs.cm.RdmaCm#open}. Continue with {@link
 * org.roce4j.verbs.cm.CmId#resolveAddr} or {@link org.roce4j.verbs.cm.CmId#listen}.
 */
package org.roce4j.verbs.cm;
