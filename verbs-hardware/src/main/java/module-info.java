/**
 * The verbs API over libibverbs, by foreign functions: {@code
 * --enable-native-access=org.roce4j.hardware}.
 */
module org.roce4j.hardware {
  requires transitive org.roce4j.verbs;

  exports org.roce4j.hardware;

  provides org.roce4j.verbs.VerbsProvider with
      org.roce4j.hardware.HardwareProvider;
}
