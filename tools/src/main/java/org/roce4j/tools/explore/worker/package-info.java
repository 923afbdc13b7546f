/** What runs in the JVM of a program's own tests: nothing of roce4j, only JUnit's launcher. */
package org.roce4j.tools.explore.worker;
