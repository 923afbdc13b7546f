/** {@code roce4j faults}, which explains and tries plans of faults. */
package org.roce4j.tools.faults;
