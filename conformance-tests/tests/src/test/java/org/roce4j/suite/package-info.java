/** The suites that are no JUnit tests, as lists of complaints. */
package org.roce4j.suite;
