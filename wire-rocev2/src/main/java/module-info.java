/** RoCEv2 on the wire: headers, opcodes, ICRC, captures. */
module org.roce4j.wire {
  exports org.roce4j.wire;
  exports org.roce4j.wire.capture;
  exports org.roce4j.wire.inspect;
  exports org.roce4j.wire.mad;
  exports org.roce4j.wire.view;
}
