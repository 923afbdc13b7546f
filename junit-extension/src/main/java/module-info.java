/** Emulated devices for JUnit 5 tests. */
module org.roce4j.junit {
  requires transitive org.junit.jupiter.api;
  requires transitive org.roce4j.emulator;

  exports org.roce4j.junit;

  // JUnit makes the extension that the annotation names.
  opens org.roce4j.junit to
      org.junit.platform.commons;
}
