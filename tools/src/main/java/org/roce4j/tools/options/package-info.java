/** Options that several subcommands share, and the readers of their values. */
package org.roce4j.tools.options;
