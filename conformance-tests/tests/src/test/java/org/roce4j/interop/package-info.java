/** The scripts that connect roce4j with Linux's soft-RoCE, as far as they need no guest. */
package org.roce4j.interop;
