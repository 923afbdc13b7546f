/** Fault plans from files. */
module org.roce4j.plans {
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.dataformat.yaml;
  requires org.roce4j.emulator;

  provides org.roce4j.options.RuleFile with
      org.roce4j.plans.YamlRules;
}
