/** The specification's tables as rows, and what runs them on a backend. */
module org.roce4j.conformance {
  requires jdk.net;
  requires transitive org.roce4j.emulator;

  exports org.roce4j.conformance;
  exports org.roce4j.conformance.backend;
  exports org.roce4j.conformance.bench;
  exports org.roce4j.conformance.dialogue;
  exports org.roce4j.conformance.error;
  exports org.roce4j.conformance.remote;
  exports org.roce4j.conformance.run;
  exports org.roce4j.conformance.table;
}
