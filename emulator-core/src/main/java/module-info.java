/**
 * The software device. What it exports to everybody is for programs and for ports; the engine is
 * for the modules that hold it to its promises. It calls no native function: only a port does.
 */
@SuppressWarnings("module") // those to which a package is exported are built later
module org.roce4j.emulator {
  requires java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires transitive org.roce4j.port;
  requires transitive org.roce4j.verbs;
  requires transitive org.roce4j.wire;

  exports org.roce4j.emulator;
  exports org.roce4j.emulator.statistics;
  exports org.roce4j.fabric;
  exports org.roce4j.faulty;
  exports org.roce4j.lab;
  exports org.roce4j.port.fault;
  exports org.roce4j.engine to
      org.roce4j.simulation;
  exports org.roce4j.engine.trace to
      org.roce4j.simulation;

  // The words of a rule, for what reads them from files.
  exports org.roce4j.options;

  uses org.roce4j.options.RuleFile;
  uses org.roce4j.port.PortProvider;

  provides org.roce4j.verbs.VerbsProvider with
      org.roce4j.emulator.EmulatorProvider;
}
