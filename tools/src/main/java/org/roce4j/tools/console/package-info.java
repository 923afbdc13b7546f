/** What all subcommands print with: failures in one line, JSON, progress of long work. */
package org.roce4j.tools.console;
