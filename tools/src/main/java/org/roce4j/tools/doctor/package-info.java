/** {@code roce4j doctor}: what on this machine prevents an emulated device, and the remedy. */
package org.roce4j.tools.doctor;
