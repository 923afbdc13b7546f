/**
 * Messages in a few lines: a reliable connection to a TCP address and port, or two connected ends
 * in one process, with typed messages, registered memory and receives of their own. This package
 * uses only the verbs, so it works on every backend. Its verbs objects are accessible ({@link
 * org.roce4j.connect.MessageEnd#qp}), so a program can combine messages with verbs.
 *
 * <p>Every failure is a {@link org.roce4j.verbs.VerbsException} with an errno and a remedy. A
 * request that completed in error causes a {@link org.roce4j.connect.FailedRequestException}, which
 * has the status as well.
 *
 * <p>Entry points: {@link org.roce4j.connect.Connection#connect} and {@link
 * org.roce4j.connect.Connection#listen}; for tests {@link org.roce4j.connect.RcPair}.
 */
package org.roce4j.connect;
