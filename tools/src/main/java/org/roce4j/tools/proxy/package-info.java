/** {@code roce4j proxy}, which forwards datagrams between two real ends and applies faults. */
package org.roce4j.tools.proxy;
