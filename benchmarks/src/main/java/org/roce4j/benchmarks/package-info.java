/**
 * The cost of a packet, measured by JMH: in the codec, in the engine by opcode and side, at the
 * verbs, and from one engine to another, without sockets. {@code java -jar
 * benchmarks/target/benchmarks.jar} runs them; {@code roce4j perf --limit} measures from end to end
 * over real sockets. docs/performance.md explains the figures.
 */
package org.roce4j.benchmarks;
