/** What every subcommand says and how: failures in one line, JSON, progress on long work. */
package org.roce4j.tools.console;
