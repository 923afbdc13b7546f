/**
 * Keys, regions, windows, rights, scatter and gather: the only code that touches registered memory.
 * Every access goes through a key that is checked for domain, right and range at the moment of use.
 */
package org.roce4j.engine.memory;
