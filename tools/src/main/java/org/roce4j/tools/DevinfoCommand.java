package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.devinfo.DeviceReport;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j devinfo}. */
@Command(
    name = "devinfo",
    mixinStandardHelpOptions = true,
    header = "Print devices as ibv_devinfo does.",
    description = "%nEach device is opened for a moment to ask it.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j devinfo",
      "  roce4j devinfo -v -d roce0",
      "  roce4j devinfo -d roce0 --set mtu=1024",
    })
final class DevinfoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ConfiguredDevices configured;

  @Option(
      names = {"-v", "--verbose"},
      description = "Print all attributes of device and port.")
  private boolean verbose;

  @Option(
      names = {"-d", "--ib-dev", "--device"},
      paramLabel = "NAME",
      description = "Print this device only.")
  private String name;

  @Option(
      names = {"-i", "--ib-port"},
      paramLabel = "PORT",
      description = "Print this port only.")
  private int port;

  @Option(
      names = {"-l", "--list"},
      description = "Print the devices' names only.")
  private boolean list;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<RdmaDevice> devices = chosen();
    if (list) {
      out.print(devices.size() + (devices.size() == 1 ? " HCA found:\n" : " HCAs found:\n"));
      devices.forEach(device -> out.print("\t" + device.name() + "\n"));
      out.print("\n");
      out.flush();
      return 0;
    }
    int status = 0;
    DeviceReport report = new DeviceReport(out, verbose);
    for (RdmaDevice device : devices) {
      try (Context context = device.open()) {
        checkPort(context);
        report.print(context, port);
      } catch (VerbsException e) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("roce4j devinfo: " + device.name() + ": " + e.remedy());
        err.flush();
        status = ToolFailure.RUN_TIME;
      }
    }
    out.flush();
    return status;
  }

  private List<RdmaDevice> chosen() {
    if (name != null) {
      return List.of(configured.device(name));
    }
    List<RdmaDevice> devices = configured.all();
    if (devices.isEmpty()) {
      throw ToolFailure.atRunTime("no device was found; 'roce4j devices' says why");
    }
    return devices;
  }

  private void checkPort(Context context) {
    int ports = context.queryDevice().physPortCount();
    if (port < 0 || port > ports) {
      throw ToolFailure.usage(
          "%s has no port %d, only 1 to %d", context.device().name(), port, ports);
    }
  }
}
