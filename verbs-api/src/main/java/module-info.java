/**
 * The verbs API. A program requires this module alone; backends are found as services on the module
 * path.
 */
@SuppressWarnings("module") // those to which a package is exported are built later
module org.roce4j.verbs {
  exports org.roce4j.connect;
  exports org.roce4j.verbs;
  exports org.roce4j.verbs.cm;
  exports org.roce4j.verbs.layout;
  exports org.roce4j.verbs.text to
      org.roce4j.conformance,
      org.roce4j.emulator,
      org.roce4j.hardware,
      org.roce4j.junit,
      org.roce4j.plans,
      org.roce4j.port,
      org.roce4j.port.linux,
      org.roce4j.port.netty,
      org.roce4j.simulation;

  uses org.roce4j.verbs.VerbsProvider;
}
