/** The counters of a device as Micrometer meters. */
package org.roce4j.micrometer;
