/**
 * What the suite is held against: a {@link org.roce4j.conformance.backend.Backend} opens a {@link
 * org.roce4j.conformance.backend.Link} between two contexts and says what it can do and where it
 * deviates, with a reason.
 */
package org.roce4j.conformance.backend;
