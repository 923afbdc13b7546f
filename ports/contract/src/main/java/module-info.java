/**
 * What a port promises, and what crosses the lower edge of an engine. A kind of port is a service,
 * which anybody may provide; it needs this module and no engine.
 */
module org.roce4j.port {
  requires transitive org.roce4j.verbs;
  requires transitive org.roce4j.wire;

  exports org.roce4j.engine.counter;
  exports org.roce4j.engine.datagram;
  exports org.roce4j.engine.time;
  exports org.roce4j.port;
}
