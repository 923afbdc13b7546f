/**
 * What two threads share, under jcstress: who may run an engine, doorbells, rings, events. Every
 * test lists the outcomes that the memory order allows; a lost wake-up is one that it forbids.
 * {@code .ci/full jcstress} runs them.
 */
package org.roce4j.stress;
