/** What observers of an engine are told: numbers only, each with QPN and PSN. */
package org.roce4j.engine.trace;
