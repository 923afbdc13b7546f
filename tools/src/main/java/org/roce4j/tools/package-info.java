/**
 * The {@code roce4j} command. Entry point: {@link org.roce4j.tools.Roce4j#main}; each subcommand is
 * a class of this package or of a package of its own.
 */
package org.roce4j.tools;
