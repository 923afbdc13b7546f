/**
 * Memory layouts of libibverbs' data-path structures on 64-bit platforms, shared by everything that
 * crosses between Java and C in either direction. Offsets are those of the C compiler; multi-byte
 * fields are in native order except immediate data, which is in network order.
 *
 * <p>Entry point: {@link org.roce4j.verbs.layout.SendWrLayout}; programs use the typed lists of
 * {@code org.roce4j.verbs} instead.
 */
package org.roce4j.verbs.layout;
