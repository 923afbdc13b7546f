/** Beside the data's way: {@code roce4j proxy}, which stands between two real ends. */
package org.roce4j.tools.proxy;
