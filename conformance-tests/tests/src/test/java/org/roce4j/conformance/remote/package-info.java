/** Dialogues with devices at UDP addresses, and the same in virtual time. */
package org.roce4j.conformance.remote;
