/** Options that several subcommands have, and how their values are read. */
package org.roce4j.tools.options;
