/** Runs rows against a backend and reports their outcomes. */
package org.roce4j.conformance.run;
