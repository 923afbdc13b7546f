/** {@code roce4j inspect}: the packets of a capture as text or JSON, all or those of a filter. */
package org.roce4j.tools.inspect;
