/**
 * {@code roce4j doctor}: what on this machine is in the way of an emulated device, and the cure.
 */
package org.roce4j.tools.doctor;
