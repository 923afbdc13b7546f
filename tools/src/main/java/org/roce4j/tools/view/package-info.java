/** {@code roce4j view}: a capture as a page for the browser, and as an event log. */
package org.roce4j.tools.view;
