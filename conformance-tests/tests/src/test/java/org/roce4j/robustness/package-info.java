/**
 * What must not break it: a peer that is killed, hostile datagrams, misuse of the API and of the
 * command line, threads that close what others wait for. Over real sockets on loopback addresses
 * that belong to this process alone.
 */
package org.roce4j.robustness;
