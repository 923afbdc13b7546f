/**
 * The verbs API over real devices, by libibverbs. Work requests and completions have libibverbs'
 * layout already, so that posting and polling pass the caller's memory on; control verbs translate.
 *
 * <p>Entry point: {@link org.roce4j.hardware.HardwareProvider}. Continue with {@link
 * org.roce4j.hardware.bindings.DataPath}.
 */
package org.roce4j.hardware;
