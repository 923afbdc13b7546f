/**
 * The means of a row: a {@link org.roce4j.conformance.bench.Bench} with two {@link
 * org.roce4j.conformance.bench.Station stations}, queue pairs in any state, and words for
 * requirements.
 */
package org.roce4j.conformance.bench;
