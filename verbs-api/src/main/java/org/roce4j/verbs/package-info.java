/**
 * What a program sees of an RDMA device: devices, contexts, protection domains, memory regions and
 * windows, completion queues and channels, queue pairs, work requests, completions and asynchronous
 * events. Names, numbers and errors are those of libibverbs; every backend implements these
 * interfaces.
 *
 * <p>The door in: {@link org.roce4j.verbs.Verbs#devices()}. Walk on with {@link
 * org.roce4j.verbs.QueuePair#postSend}.
 */
package org.roce4j.verbs;
