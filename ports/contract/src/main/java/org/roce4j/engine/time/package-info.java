/** Deadlines of thousands of queue pairs in one heap; time is a number that the caller gives. */
package org.roce4j.engine.time;
