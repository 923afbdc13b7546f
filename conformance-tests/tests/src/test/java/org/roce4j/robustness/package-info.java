/**
 * Killed peers, hostile datagrams, misuse of the API and of the command line, threads that close
 * what others wait for. Real sockets on loopback addresses that belong to this process alone.
 */
package org.roce4j.robustness;
