/**
 * The manuals' example flows, each a small program whose steps come in the manual's order with the
 * name of the C call beside them. Entry point: {@link org.roce4j.examples.flows.Flows}; what each
 * prints stands in {@code docs/flows.md}.
 */
package org.roce4j.examples.flows;
