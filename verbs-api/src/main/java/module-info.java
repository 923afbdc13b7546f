/**
 * The verbs API. A program requires this module alone; backends are found as services on the module
 * path.
 */
module org.roce4j.verbs {
  exports org.roce4j.connect;
  exports org.roce4j.verbs;
  exports org.roce4j.verbs.cm;
  exports org.roce4j.verbs.layout;

  uses org.roce4j.verbs.VerbsProvider;
}
