/** {@code roce4j conformance}: the specification's rows against a backend, and the report. */
package org.roce4j.tools.conformance;
