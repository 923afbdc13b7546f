/**
 * Fuzz targets: no input from the wire or from a file may cause an exception, a write outside
 * registered memory, or a completion without a request. The build runs them over the corpus beside
 * them and over mutations of it; with {@code .ci/run fuzz} Jazzer searches further.
 */
package org.roce4j.fuzz;
