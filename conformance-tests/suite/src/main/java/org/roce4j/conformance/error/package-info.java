/**
 * Errors as data: how each is provoked, and its consequences on both sides. {@link
 * org.roce4j.conformance.error.ErrorTable} lists them; each is a row of the suite, and {@link
 * org.roce4j.conformance.error.ErrorDocument} writes {@code docs/errors.md} from the same data.
 */
package org.roce4j.conformance.error;
