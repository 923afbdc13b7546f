/**
 * The questions of the manual, as tests: each answer that states a behaviour is a test with the
 * question as its name, in a class for each chapter. If an answer does not hold for RoCE, or the
 * emulator does better, the name says so in brackets. Questions without a test ask for advice, for
 * the drivers of one vendor, or for fork(2), which a Java program does not have.
 */
package org.roce4j.manual;
