/**
 * The handles that applications hold, with posting and polling: the {@code Emulated} classes.
 * {@link org.roce4j.device.Device} is what queue pairs share. Below them {@link
 * org.roce4j.engine.Engine} does the work.
 */
package org.roce4j.device;
