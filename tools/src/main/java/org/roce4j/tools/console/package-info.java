/** The output of all subcommands: failures in one line, JSON, the progress of long work. */
package org.roce4j.tools.console;
