/** The suite in JUnit: a test for each row on each backend, and tests of the suite itself. */
package org.roce4j.conformance.run;
