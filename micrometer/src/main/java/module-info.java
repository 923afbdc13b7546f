/** The counters of a device as Micrometer meters. */
module org.roce4j.micrometer {
  requires transitive micrometer.core;
  requires transitive org.roce4j.verbs;

  exports org.roce4j.micrometer;
}
