/** Named counters, with the names of Linux rxe where it has them. */
package org.roce4j.engine.counter;
