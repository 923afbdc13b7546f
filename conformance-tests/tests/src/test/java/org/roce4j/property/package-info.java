/**
 * Models beside a backend: random steps, and what a simple model says must come of them. jqwik
 * prints the seed of a failure, replays it and shrinks it.
 */
package org.roce4j.property;
