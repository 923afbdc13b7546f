/**
 * Messages in a few lines: a reliable connection to a TCP address and port, or two connected ends
 * in one process, with typed messages, registered memory and receives of their own. Everything here
 * is made of the verbs beneath and works on every backend; what it made is at hand ({@link
 * org.roce4j.connect.MessageEnd#qp}), so a program can go on with verbs where messages end.
 *
 * <p>Every failure is a {@link org.roce4j.verbs.VerbsException} with an errno and what to do; where
 * a request completed in error it is a {@link org.roce4j.connect.FailedRequestException}, which
 * bears the status too.
 *
 * <p>Entry point: {@link org.roce4j.connect.Connection#connect} and {@link
 * org.roce4j.connect.Connection#listen}; for tests {@link org.roce4j.connect.RcPair}.
 */
package org.roce4j.connect;
