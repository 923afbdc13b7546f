/**
 * UDP by Linux's system calls. It calls the C library: {@code
 * --enable-native-access=org.roce4j.port.linux}, and no other module needs it.
 */
module org.roce4j.port.linux {
  requires org.roce4j.port;

  provides org.roce4j.port.PortProvider with
      org.roce4j.port.linux.LinuxPortProvider;
}
