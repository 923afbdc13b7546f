/**
 * Emulated RDMA devices in JUnit 5 tests: annotate with {@link org.roce4j.junit.EmulatedRdma} and
 * take devices as parameters.
 */
package org.roce4j.junit;
