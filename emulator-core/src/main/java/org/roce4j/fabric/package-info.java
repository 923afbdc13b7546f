/**
 * A network inside one JVM: any number of ports, virtual time, seeded delay, loss, duplication,
 * reordering and corruption; for tests and for programs. It uses no socket, no thread and no system
 * clock: {@link org.roce4j.fabric.Fabric#step} executes the next event, and the same seed with the
 * same calls produces the same packets in the same order ({@link org.roce4j.fabric.Fabric#digest}).
 *
 * <p>The entry point is {@link org.roce4j.fabric.Fabric}: {@code attach} returns a {@link
 * org.roce4j.fabric.FabricPort}, {@code register} sets the {@link org.roce4j.fabric.Node} that
 * drives it, {@code link} returns the {@link org.roce4j.fabric.FabricLink} between two addresses.
 */
package org.roce4j.fabric;
