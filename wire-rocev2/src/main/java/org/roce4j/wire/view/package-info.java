/**
 * A capture, or one of each end, as a person looks at it: connections, what was lost on the way,
 * what the packets tell of both queue pairs and which rule each packet keeps or breaks. Written as
 * a page for a browser and as an event log.
 */
package org.roce4j.wire.view;
