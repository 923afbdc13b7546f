/**
 * jcstress tests of everything that two threads share: ownership of an engine, doorbells, rings,
 * events. Each test lists the outcomes that the memory order allows and forbids lost wake-ups.
 * {@code .ci/full jcstress} runs the tests.
 */
package org.roce4j.stress;
