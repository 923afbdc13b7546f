/**
 * What a row works with: a {@link org.roce4j.conformance.bench.Bench} with two {@link
 * org.roce4j.conformance.bench.Station stations}, queue pairs in any state, and words for what must
 * hold.
 */
package org.roce4j.conformance.bench;
