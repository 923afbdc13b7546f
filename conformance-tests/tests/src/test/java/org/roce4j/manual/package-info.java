/**
 * The manual's questions and answers, and nothing else: each answer that states a behaviour is a
 * test with the question as its name, a class for each chapter. Where an answer does not hold for
 * RoCE, or the emulator does better, the name says so in brackets. Questions without a test ask for
 * advice, for the drivers of one vendor, or for fork(2), which a Java program has not.
 */
package org.roce4j.manual;
