/**
 * The front door: {@link org.roce4j.engine.device.Engine} takes datagrams, time and doorbells and
 * gives trains and a deadline; {@link org.roce4j.engine.device.Device} is what its queue pairs
 * share; the {@code Emulated} classes are what applications hold.
 */
package org.roce4j.engine.device;
