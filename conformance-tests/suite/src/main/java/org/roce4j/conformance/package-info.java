/**
 * A row of the specification's tables: an id, its source, a title and a check. {@link
 * org.roce4j.conformance.table} holds the tables, {@link org.roce4j.conformance.run} runs them
 * against a backend.
 */
package org.roce4j.conformance;
