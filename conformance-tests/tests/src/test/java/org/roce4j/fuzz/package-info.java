/**
 * Fuzz targets: nothing from the wire or from a file may cause an exception, a write outside of
 * registered memory, or a completion that nobody asked for. In the build they run over the corpus
 * kept beside them and over mutations of it; with {@code .ci/run fuzz} Jazzer searches on.
 */
package org.roce4j.fuzz;
