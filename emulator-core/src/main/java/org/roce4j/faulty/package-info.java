/** Faults at the API: decorators of the objects of any backend, which fail according to a plan. */
package org.roce4j.faulty;
