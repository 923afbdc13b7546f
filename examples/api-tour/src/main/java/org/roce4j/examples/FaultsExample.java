package org.roce4j.examples;

import java.io.PrintStream;
import org.roce4j.connect.RcPair;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsException;

/**
 * A program handles faults that no network causes: memory cannot be registered, and a completion
 * fails together with its queue pair. The program tries again and connects once more.
 */
public final class FaultsExample {
  private static final String PLAN =
      "refuse=ENOMEM call=registerMemory nth=1; fail=RETRY_EXC_ERR first=3 times=1";

  private FaultsExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context server = Verbs.device("roce0").open();
        Context client = Verbs.device("roce1").open()) {
      run(server, client, System.out);
    }
  }

  static void run(Context server, Context client, PrintStream out) {
    RdmaDevice faulty = FaultyDevice.around(client.device(), VerbsFaults.parse(PLAN));
    try (Context unlucky = faulty.open()) {
      for (int attempt = 1; attempt <= 3; attempt++) {
        out.println("attempt " + attempt + ": " + greet(server, unlucky));
      }
    }
  }

  /** Sends greetings, at most four, until one does not arrive. */
  private static String greet(Context server, Context client) {
    int arrived = 0;
    try (RcPair pair = RcPair.connect(client, server)) {
      while (arrived < 4) {
        pair.client().send("hello");
        pair.server().receiveString();
        arrived++;
      }
      return "four greetings arrived";
    } catch (VerbsException e) {
      return arrived + " arrived, then " + e.errno();
    }
  }
}
