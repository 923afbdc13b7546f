/** Suites that are not JUnit tests, as lists of complaints, and the loader of a changed copy. */
package org.roce4j.suite;
