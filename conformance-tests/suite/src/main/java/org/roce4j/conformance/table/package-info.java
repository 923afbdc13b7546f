/**
 * The tables of docs/specification as rows. What a table says stands as data, in a text file beside
 * it or in its first lines; the code below holds it against a bench.
 */
package org.roce4j.conformance.table;
