/**
 * Rings of preallocated slots between the application's threads and the thread that owns the
 * engine: send, receive and shared receive queues, completion rings, asynchronous events, doorbells
 * and the ownership word. Threads share nothing else of an engine, and only this package orders
 * memory for it.
 */
package org.roce4j.engine.queue;
