/** The suites that are not JUnit tests, as lists of complaints. */
package org.roce4j.suite;
