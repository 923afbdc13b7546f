/**
 * The class that runs in the JVM of a program's own tests. It uses JUnit's launcher and nothing of
 * roce4j.
 */
package org.roce4j.tools.explore.worker;
