/** Bad calls of every verb: null, numbers out of range, closed objects. */
package org.roce4j.calls;
