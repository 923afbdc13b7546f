package com.example.rdma;

import org.roce4j.connect.RcPair;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Verbs;

/** A message from one device to another over the loopback interface, and whose the devices are. */
public final class Hello {
  private Hello() {}

  /** Sends and receives it. */
  public static void main(String[] args) {
    try (Context left = Verbs.device("roce0").open();
        Context right = Verbs.device("roce1").open();
        RcPair pair = RcPair.connect(left, right)) {
      pair.client().send("hello, modules");
      System.out.println(
          pair.server().receiveString() + ", by " + left.getClass().getModule().getName());
    }
  }
}
