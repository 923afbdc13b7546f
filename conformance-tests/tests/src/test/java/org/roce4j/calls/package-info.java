/** Bad calls of every verb: null, numbers out of range, objects that are gone. */
package org.roce4j.calls;
