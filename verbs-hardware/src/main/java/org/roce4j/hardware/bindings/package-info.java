/**
 * libibverbs and the little of the C library that goes with it, called by hand-written {@code
 * java.lang.foreign} bindings: functions, the layout of structures, the function pointers of the
 * data path, errno. Nothing here keeps an object of the verbs API.
 *
 * <p>Entry point: {@link org.roce4j.hardware.bindings.Libibverbs} for control verbs, {@link
 * org.roce4j.hardware.bindings.DataPath} for posting and polling.
 */
package org.roce4j.hardware.bindings;
