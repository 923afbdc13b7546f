/**
 * Checks requests in the specification's order (rc-transport 4), executes and answers them. Entry
 * point: {@link org.roce4j.engine.responder.Responder#handleRequest}. Answers to READ and atomic
 * requests are kept for duplicates.
 */
package org.roce4j.engine.responder;
