/**
 * What a row works with: a {@link org.roce4j.spec.bench.Bench} with two {@link
 * org.roce4j.spec.bench.Station stations}, queue pairs in any state, and words for what must hold.
 */
package org.roce4j.spec.bench;
