/**
 * What applications hold: {@link org.roce4j.device.Device} is what queue pairs share, the {@code
 * Emulated} classes are the handles, with posting and polling. Below them {@link
 * org.roce4j.engine.Engine} does the work.
 */
package org.roce4j.device;
