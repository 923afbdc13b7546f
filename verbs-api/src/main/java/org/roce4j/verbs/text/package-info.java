/**
 * How all modules put values into the text of messages. Not on the data path, and not for programs.
 */
package org.roce4j.verbs.text;
