/** Runs rows against a backend and reports what became of each. */
package org.roce4j.conformance.run;
