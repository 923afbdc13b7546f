/**
 * The backends of the suite: a {@link org.roce4j.conformance.backend.Backend} opens a {@link
 * org.roce4j.conformance.backend.Link} between two contexts and declares its capabilities and its
 * deviations, with reasons.
 */
package org.roce4j.conformance.backend;
