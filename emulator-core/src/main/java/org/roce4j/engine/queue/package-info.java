/**
 * Rings of preallocated slots between the application's threads and the thread that owns the
 * engine: send, receive and shared receive queues, completion rings, asynchronous events, doorbells
 * and the ownership word. The only thing that two threads share, and the only place that orders
 * memory for it.
 */
package org.roce4j.engine.queue;
