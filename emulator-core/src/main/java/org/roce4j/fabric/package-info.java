/**
 * A network inside one JVM: any number of ports, virtual time, seeded delay, loss, duplication,
 * reordering and corruption; a test bed and a product. No socket, no thread, no clock of the
 * system: {@link org.roce4j.fabric.Fabric#step} makes the next thing happen, and the same seed with
 * the same calls makes the same packets in the same order ({@link
 * org.roce4j.fabric.Fabric#digest}).
 *
 * <p>The door is {@link org.roce4j.fabric.Fabric}: {@code attach} gives a {@link
 * org.roce4j.fabric.FabricPort}, {@code register} the {@link org.roce4j.fabric.Node} that drives
 * it, {@code link} the {@link org.roce4j.fabric.FabricLink} between two addresses.
 */
package org.roce4j.fabric;
