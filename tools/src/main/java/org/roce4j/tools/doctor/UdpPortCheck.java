package org.roce4j.tools.doctor;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.roce4j.tools.doctor.SocketTable.Socket;
import org.roce4j.verbs.text.Wording;

/** No other process has our UDP port. */
final class UdpPortCheck implements MachineCheck {
  private final String name;
  private final int port;

  UdpPortCheck(int port) {
    this.port = port;
    name = "port-" + port;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    // A device of several engines has as many sockets at one address.
    Set<Finding> findings = new LinkedHashSet<>();
    for (Socket socket : SocketTable.boundTo(port, system)) {
      findings.add(finding(socket, system));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(name, "UDP port " + port + " is free on every address"));
    }
    return List.copyOf(findings);
  }

  private Finding finding(Socket socket, SystemView system) {
    Optional<String> process =
        socket.inode() == 0 ? Optional.empty() : SocketTable.holder(socket, system);
    String owner =
        socket.inode() == 0
            ? "the kernel (soft-RoCE)"
            : process.map(known -> "process " + known).orElse("a process of another user");
    String cure =
        socket.inode() == 0
            ? "remove the kernel's device (rdma link delete NAME)"
            : process
                .map(known -> "stop it (kill " + known.replaceFirst(" .*", "") + ")")
                .orElse("find it (sudo ss -ulpn 'sport = :" + port + "') and stop it");
    if (socket.wildcard()) {
      return Finding.fail(
          name,
          Wording.of("%s has UDP port %d on every address", owner, port),
          cure + ", or use another port at both ends (--set udp-port=...)");
    }
    return Finding.warn(
        name,
        Wording.of("%s has UDP port %d on %s", owner, port, socket.address().getHostAddress()),
        cure + ", or use another address");
  }
}
