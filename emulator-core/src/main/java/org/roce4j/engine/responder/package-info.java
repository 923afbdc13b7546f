/**
 * A request is checked step by step in the specification's order, executed and answered. In at
 * {@link org.roce4j.engine.responder.Responder#handleRequest}; the order of the checks is that of
 * rc-transport 4. Answers to READ and atomic requests are kept for duplicates.
 */
package org.roce4j.engine.responder;
