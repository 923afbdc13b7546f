/** The table of errors: the document is what the rows hold. */
package org.roce4j.conformance.error;
