/**
 * What a program sees of an RDMA device: devices, contexts, protection domains, memory regions and
 * windows, completion queues and channels, queue pairs, work requests, completions and asynchronous
 * events. Names, numbers and errors are those of libibverbs; every backend implements these
 * interfaces.
 *
 * <p>A bad call changes nothing and throws {@link org.roce4j.verbs.VerbsException}: EINVAL for an
 * argument that is null, unless its documentation gives null a meaning; EINVAL for a call on a
 * destroyed object, ENODEV for a closed context. Posting and polling throw for null alone; else
 * they give the errno back, as libibverbs does. A destroyed object still returns what it was made
 * with; closing it again or acknowledging its events has no effect.
 *
 * <p>Start at {@link org.roce4j.verbs.Verbs#devices()}; continue with {@link
 * org.roce4j.verbs.QueuePair#postSend}.
 */
package org.roce4j.verbs;
