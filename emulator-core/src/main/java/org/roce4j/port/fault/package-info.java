/** Behind the port's door: faults by plan, for what is sent and for what is received. */
package org.roce4j.port.fault;
